// SPDX-License-Identifier: Apache-2.0

/// The script of the page, which draws the page's data.
enum PageScript {
    static let text = #"""

        "use strict";
        const data = JSON.parse(document.getElementById("data").textContent), policies = data.policies;
        const escape = text => String(text).replace(/[&<>"']/g, c => `&#${c.charCodeAt(0)};`);
        const html = (list, each) => list.map(each).join("");
        const colors = 8, color = n => `c${n % colors}`, style = n => color(n) + (n / colors & 1 ? " dashed" : "");
        const name = n => escape(policies[n].name);
        const label = n => `<b class="key ${color(n)}">${n + 1}</b> <span>${name(n)}</span>`;
        const section = (title, text, body) => `<section><h2>${escape(title)}</h2><p>${escape(text)}</p>${body}</section>`;
        const list = (style, pairs) => `<dl class="${style}">` +
          html(pairs, ([term, meaning]) => `<div><dt>${term}</dt><dd>${meaning}</dd></div>`) + "</dl>";

        // The table of policies. On a narrow screen, each cell shows the title of its column.
        const table = (rows, columns) => `<table class="results"><thead><tr><th>policy</th>` +
          html(columns, i => `<th>${data.columns[i][0]}</th>`) + "</tr></thead><tbody>" +
          html(rows, (cells, n) => `<tr><td class="name">${label(n)}</td>` +
            html(columns, i => `<td data-title="${data.columns[i][1]}">${cells[i]}</td>`) + "</tr>") + "</tbody></table>";

        const heat = (grid, column) => {
          const value = n => n == null ? NaN : parseFloat(policies[n].cells[column]);
          const known = grid.cells.flat().map(value).filter(v => !isNaN(v));
          const least = Math.min(...known), range = Math.max(...known) - least;
          const cell = n => isNaN(value(n)) ? "<td>-</td>" :
            `<td${range && value(n) == least ? ' class="best"' : ""} title="${name(n)}" ` +
            `style="--s:${range && (value(n) - least) / range * .55}">${policies[n].cells[column]}</td>`;
          return `<div class="scroll"><table class="heat"><caption>${data.columns[column][0]}</caption><tr>` +
            html([grid.corner.map(escape).join("<br>"), ...grid.columns.map(escape)], text => `<th>${text}</th>`) + "</tr>" +
            html(grid.rows, (row, i) => `<tr><th>${escape(row)}</th>${html(grid.cells[i], cell)}</tr>`) + "</table></div>";
        };

        // Drawings in pixels, which are drawn again when their width changes.
        const drawings = [];
        const drawing = (title, height, draw) => `<div data-drawing="${drawings.push(width =>
          `<svg height="${height}" role="img" aria-label="${escape(title)}">${draw(width)}</svg>`) - 1}"></div>`;
        const observer = new ResizeObserver(entries => entries.forEach(({target}) => {
          const width = target.clientWidth, known = target.dataset;
          if (width && known.width != width) target.innerHTML = drawings[known.drawing](known.width = width);
        }));
        const pen = document.createElement("canvas").getContext("2d");
        const widthOf = text => (pen.font = "12px system-ui, sans-serif", pen.measureText(text).width);
        const path = (d, style, hint = "") => `<path d="${d}" class="${style}"><title>${escape(hint)}</title></path>`;
        const line = (x1, y1, x2, y2, style) => path(`M${x1} ${y1}L${x2} ${y2}`, style);
        const circle = (x, y, r, style, hint) =>
          `<circle cx="${x}" cy="${y}" r="${r}" class="${style}"><title>${escape(hint)}</title></circle>`;
        const text = (text, x, y, anchor, style = "label") =>
          `<text x="${x}" y="${y}" text-anchor="${anchor}" class="${style}">${escape(text)}</text>`;

        // A scale from 0 to at least `largest`, with at most `count` round steps.
        const scale = (largest, count) => {
          const power = 10 ** Math.floor(Math.log10(largest / count));
          const step = power * ([1, 2, 5].find(n => largest / (n * power) <= count) ?? 10);
          const steps = Math.ceil(largest / step - 1e-9), digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
          const ticks = Array.from({length: steps + 1}, (_, i) => [i * step, (i * step).toFixed(digits)]);
          return {ticks, top: steps * step, share: value => value / (steps * step)};
        };
        const none = {ticks: [], share: () => .5};

        // The one form of all drawings: a grid, its labels as far as they fit, and marks between the axes.
        const plot = (title, height, [left, right, top, bottom], x, y, names, marks) => drawing(title, height, width => {
          const area = {left, right: width - right, top, bottom: height - bottom};
          const px = value => left + x.share(value) * (area.right - left);
          const py = value => area.bottom - y.share(value) * (area.bottom - top);
          let next = Infinity;
          const below = bottom ? html([...x.ticks].reverse(), ([value, words]) => {
            const wide = widthOf(words), start = Math.max(0, Math.min(px(value) - wide / 2, width - wide));
            if (start + wide + 8 > next) return "";
            next = start;
            return text(words, start, area.bottom + 16, "start");
          }) : "";
          return html(x.ticks, ([value]) => line(px(value), area.bottom, px(value), top, "grid")) + below +
            html(y.ticks, ([value, words]) =>
              line(left, py(value), area.right, py(value), "grid") + text(words, left - 8, py(value) + 4, "end")) +
            text(names[0] ?? "", area.right, height - 3, "end", "axis") + text(names[1] ?? "", 0, 12, "start", "axis") +
            marks(px, py, area);
        });

        // The numbers of policies, with three or more consecutive ones as a range: `1, 4–9`.
        const numbers = group => {
          const runs = [];
          for (const n of group) runs.at(-1)?.[1] == n ? runs.at(-1)[1] = n + 1 : runs.push([n + 1, n + 1]);
          return runs.flatMap(([a, b]) => b - a > 1 ? [`${a}–${b}`] : a < b ? [a, b] : [a]).join(", ");
        };
        // The numbers beside the dots. Dots that touch share a label, because numbers would be ambiguous otherwise.
        const dotLabels = (dots, area) => {
          const groups = [], meets = (a, b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
          dots.forEach(([x, y], n) => {
            const near = groups.find(group => group.some(m => Math.hypot(dots[m][0] - x, dots[m][1] - y) < 12));
            near ? near.push(n) : groups.push([n]);
          });
          const taken = dots.map(([x, y]) => [x - 7, y - 7, x + 7, y + 7]);
          return html(groups, group => {
            const [x1, y1, x2, y2] = [0, 1, 2, 3].map(i => Math[i < 2 ? "min" : "max"](...group.map(n => taken[n][i])));
            const short = group.length > 2 ? [`${group[0] + 1} + ${group.length - 1} more`] : [];
            const boxes = [numbers(group), ...short].flatMap(words => {
              const wide = widthOf(words) * 1.15, center = (x1 + x2 - wide) / 2, middle = (y1 + y2) / 2 - 6;
              return [
                [x2 + 3, middle], [x2 + 3, y1 - 9], [x2 + 3, y2 - 4], [center, y1 - 14], [center, y2 + 1],
                [x1 - 3 - wide, middle], [x1 - 3 - wide, y1 - 9], [x1 - 3 - wide, y2 - 4],
              ].map(([x, y]) => [x, y, x + wide, y + 13, words]);
            });
            const box = boxes.find(box => box[0] > area.left + 2 && box[2] < area.right + 8 && box[1] > 14 &&
              box[3] < area.bottom + 7 && !taken.some(other => meets(box, other))) ?? boxes.at(-8);
            taken.push(box);
            return text(box[4], box[0], box[1] + 11, "start", "number");
          });
        };

        const most = (field, values) => Math.max(...policies.flatMap(policy => values(policy[field])));
        const plane = () => {
          const values = metric => [metric.value, metric.range?.[1] ?? 0], front = data.front;
          const x = scale(Math.max(1, most("late", values)), 7), y = scale(Math.max(.1, most("cost", values)), 5);
          const names = ["late or unfinished, % of bytes", "cost per MB"];
          return plot("Share of late bytes against cost per megabyte", 446, [46, 12, 26, 40], x, y, names, (px, py, area) => {
            const right = area.right, dots = policies.map(p => [px(p.late.value), py(p.cost.value)]);
            // The front begins with nothing on time. Only the part near the policies is of interest.
            const edge = front.findIndex(([late]) => late <= x.top);
            const [[late, cost], [before, cheaper]] = [front[edge] ?? [0, 0], front[edge - 1] ?? [0, 0]];
            const leaving = py(cost + (cheaper - cost) * (x.top - late) / (before - late));
            const visible = [...edge > 0 ? [[right, leaving]] : [], ...front.slice(edge).map(([l, c]) => [px(l), py(c)])];
            return path(`M${visible.join("L")}`, "front") +
              (edge > 0 ? path(`M${right - 2} ${leaving - 5}l10 5l-10 5z`, "continues",
                "The optimum continues to cost 0 with every byte late.") : "") +
              html(policies, ({late, cost}, n) => (late.range ? line(px(late.range[0]), dots[n][1], px(late.range[1]),
                dots[n][1], `whisker ${color(n)}`) : "") + (cost.range ? line(dots[n][0], py(cost.range[0]), dots[n][0],
                py(cost.range[1]), `whisker ${color(n)}`) : "")) +
              html(dots, ([x, y], n) => circle(x, y, 6, `dot ${style(n)}`, `${n + 1} ${policies[n].name}`)) +
              dotLabels(dots, area);
          });
        };

        const panels = [["late", "late or unfinished, % of bytes", 1], ["cost", "cost per MB", .1]].map(([field, title, least]) =>
          ({field, title, x: scale(Math.max(least, most(field, m => [m.spread[2] ?? 0, ...m.devices])), 4)}));
        const strip = ({field, title, x}, n) => plot(`${policies[n].name}: ${title}`, 30, [8, 8, 0, 0], x, none, [], px => {
          const {spread: [low, middle, high], devices} = policies[n][field], style = color(n);
          return low == null ? "" : path(`M${px(low)} 10H${Math.max(px(high), px(low) + 1)}V20H${px(low)}z`, `box ${style}`) +
            html(devices, (value, i) => circle(px(value), 15, 3, `device ${style}`, `${data.devices[i]}: ${value}`)) +
            line(px(middle), 7, px(middle), 23, `middle ${style}`);
        });
        const row = (who, cells) => `<div class="row"><div class="who">${who}</div>${cells.join("")}</div>`;
        const spread = () => `<div class="spread">` + row("", panels.map(p => `<div class="axis">${p.title}</div>`)) +
          html(policies, (_, n) => row(label(n), panels.map(panel => strip(panel, n)))) +
          row("", panels.map(p => plot(`Scale of ${p.title}`, 20, [8, 8, 0, 20], p.x, none, [], () => ""))) + "</div>";

        // Delays have a logarithmic axis, on which the first mark stands for all shorter delays.
        const day = 86400, delayTicks = [[10, "≤ 10 s"], [60, "1 min"], [600, "10 min"], [3600, "1 h"], [6 * 3600, "6 h"],
          [day, "1 d"], [2 * day, "2 d"], [7 * day, "7 d"], [30 * day, "30 d"], [90 * day, "90 d"], [365 * day, "1 y"],
          [1e3 * day, "1000 d"], [1e4 * day, "10,000 d"], [1e5 * day, "100,000 d"]];
        const delays = () => {
          const shown = policies.map((_, n) => n).filter(n => policies[n].steps.length), divided = shown.length > colors;
          if (!shown.length) return "<p>No job finished.</p>";
          const longest = Math.max(data.deadlines?.[1] ?? 0, ...shown.map(n => policies[n].steps.at(-1)[0]));
          const ticks = delayTicks.slice(0, Math.max(1, delayTicks.findIndex(([s]) => s >= longest)) + 1), last = ticks.at(-1)[0];
          const x = {ticks, share: s => Math.log(Math.max(10, Math.min(s, last)) / 10) / Math.log(last / 10)};
          const curves = (title, height, margins, count, names, curves) => {
            const y = scale(100, count);
            y.ticks.forEach(tick => tick[1] += " %");
            return plot(title, height, margins, x, y, names, (px, py, {left, right, top, bottom}) => {
              const [from, to] = (data.deadlines ?? []).map(px), wide = widthOf(data.deadlineText);
              return (to == null ? "" : path(`M${from} ${top}H${to}V${bottom}H${from}z`, "deadlines") +
                  line(from, top, from, bottom, "deadline") + (from < to ? line(to, top, to, bottom, "deadline") : "") +
                  (divided ? "" : text(data.deadlineText, Math.max(left + 80, Math.min(to - wide / 2, right - wide)), 14, "start", "axis"))) +
                html(curves, ([n, style]) => path(`M${left} ${bottom}` +
                  html(policies[n].steps, ([s, share]) => `H${px(s)}V${py(share)}`) + `H${right}`, style));
            });
          };
          if (!divided)
            return curves("Share of jobs finished within a time", 384, [46, 12, 24, 44], 5, ["after submission"],
                shown.map(n => [n, `curve ${style(n)}`])) +
              `<ul class="curves">${html(shown, n => `<li><i class="${style(n)}"></i>${n + 1} ${name(n)}</li>`)}</ul>`;
          return `<div class="multiples">` + html(shown, n => `<figure><div class="who">${label(n)}</div>` +
            curves(`Jobs finished within a time, ${policies[n].name}`, 132, [46, 12, 6, 22], 2, [],
              [...n == shown[0] ? [] : [[shown[0], "reference"]], [n, `curve ${color(n)}`]]) + "</figure>") + "</div>";
        };
        const delaysText = "The share of all jobs that finished within a time after their submission." +
          (data.deadlines ? ` Dotted: ${data.deadlineText}.` : "") +
          (policies.filter(policy => policy.steps.length).length > colors ? " The gray curve is the first policy." : "");

        // The days of a device: power, network, and one band of transfers per policy.
        const timeline = ({start, span, columns, bands}) => {
          const hours = span / 3600, ticks = [];
          const step = 3600 * (hours <= 3 ? 1 : hours <= 12 ? 3 : hours <= 72 ? 6 : 24 * Math.ceil(hours / 960));
          for (let s = Math.ceil(start / step) * step; s < start + span; s += step) {
            const date = new Date(s * 1000), time = date.toISOString().slice(11, 16);
            const midnight = date.toLocaleDateString("en-GB", {day: "numeric", month: "short", timeZone: "UTC"});
            ticks.push([s, time == "00:00" ? midnight : time]);
          }
          const x = {ticks, share: s => (s - start) / span}, at = column => start + column / columns * span;
          const number = style => policies.findIndex(policy => policy.name == style);
          return `<div class="days">` + html(bands, ({title, runs}) => `<div class="band"><span>${escape(title)}</span>` +
            plot(title, 14, [0, 0, 0, 0], x, none, [], px => html(Object.entries(runs), ([style, bounds]) =>
              path(html(bounds, (column, i) => `${i % 2 ? "H" : "M"}${px(at(column))}${i % 2 ? "" : " 7"}`),
                number(style) < 0 ? style : color(number(style)))) +
              html(ticks, ([s]) => line(px(s), 0, px(s), 14, "midnight"))) + "</div>") +
            `<div class="band"><span></span>${plot("Time", 20, [0, 0, 0, 20], x, none, [], () => "")}</div></div>`;
        };
        const legend = `<p class="legend">` + html([["ac", "AC power"], ["battery", "battery"], ["free", "unmetered"],
          ["metered", "metered"], ["none", "none or asleep"], ["unknown", "unknown"]],
          ([style, words]) => `<i class="${style}"></i>${words} `) + "</p>";

        const link = (file, content, type, words) =>
          `<a download="${file}" href="${URL.createObjectURL(new Blob([content], {type}))}">${words}</a>`;
        const all = data.columns.map((_, i) => i), single = all.filter(i => data.columns[i][0] != "95 %");
        const costs = data.costs;
        document.querySelector("main").insertAdjacentHTML("beforeend",
          (data.conclusion ? `<p class="conclusion">${escape(data.conclusion)}</p>` : "") + `<p>${escape(data.summary)}</p>` +
          (data.warning ? `<p class="warning">${escape(data.warning)}</p>` : "") +
          table(policies.map(policy => policy.cells), all) +
          list("terms", [
            ["late", "the share of the submitted bytes that arrived after their deadlines or never"],
            ["missed", "the share of the jobs that did not finish by their deadlines; without a deadline, that never finished"],
            ["cost", "the cost of the on-time bytes per submitted megabyte (10⁶ bytes). A megabyte costs " +
              `${costs[0]} on AC power and an unmetered network, ${costs[1]} on battery and unmetered, ${costs[2]} on AC ` +
              `power and metered, ${costs[3]} on battery and metered`],
            ["regret", "the difference from the optimal cost per submitted megabyte. On both sides, each late or unfinished " +
              `megabyte costs ${data.penalty}`],
            ["delay p50, p95", "the time from submission to finish that 50 % and 95 % of the finished jobs did not exceed"],
            ["wakes", "the number of times that a transfer woke the radio, after a pause of more than 15 s"],
            ["starts", "the number of attempts in which bytes arrived"],
            ["95 %", "the 95 % confidence interval of the column before it, from 1000 draws of the devices with " +
              "replacement; a single device has none"],
            ["oracle", "the offline (clairvoyant) optimum, which is computed and not replayed"],
          ]) +
          html(data.grids, grid => section(`Parameters of ${grid.title}`,
            "Each cell is a policy. A stronger color means a higher value; the frame marks the lowest value.",
            `<div class="maps">${html([0, 3, 5], column => heat(grid, column))}</div>`)) +
          section("Late bytes and cost", "Each number is a policy in the table; its cross is the 95 % interval. Lower and " +
            "further left is better. No policy can lie below the dashed line, which is the offline (clairvoyant) optimum.",
            plane()) +
          section("Results by device", (data.devices.length ? "A dot is a device; the bar runs from the 10th to the 90th " +
            "percentile; " : "The bar runs from the 10th to the 90th percentile of the devices; ") +
            "the thick mark is the median.", spread()) +
          section("Delay", delaysText, delays()) +
          (data.timelines.length ? section("Devices", data.devicesText, html(data.timelines, (device, i) =>
            `<details class="device"${i ? "" : " open"}><summary><strong>${escape(device.name)}</strong> ` +
            `<small>${escape(device.facts)}</small></summary>${timeline(device)}${legend}` +
            `${device.cells.length ? table(device.cells, single) : ""}</details>`)) : "") +
          section("How this page was made", "The same inputs and options give the same page.", list("origin", [
            ...data.origin.map(([term, words]) => [term, term == "Command" ? `<code>${escape(words)}</code>` : escape(words)]),
            ["Inputs, with FNV-1a checksums", `<ul>${html(data.inputs, ([name, checksum]) =>
              `<li>${escape(name)} <code>${checksum}</code></li>`)}</ul>`],
            ["Results", link("results.csv", data.csv, "text/csv", data.csvText) + "<br>" + link("results.json",
              JSON.stringify(data.json, null, 2), "application/json",
              "results.json, all devices together, for transferlab diff")],
          ])));
        document.querySelectorAll("[data-drawing]").forEach(element => observer.observe(element));

        """#
}
