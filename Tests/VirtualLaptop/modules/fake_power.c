// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
/*
 * A fake AC adapter (FAC) and battery (FBAT0) for tests. Writes to the parameters ac_online (0 or 1) and capacity
 * (percent) change the supplies and announce the change, as a driver does when the adapter is unplugged.
 */
#include <linux/module.h>
#include <linux/power_supply.h>

#define ENERGY_FULL 50000000 /* microwatt-hours */
#define POWER_NOW 10000000 /* microwatts */
#define VOLTAGE_NOW 12000000 /* microvolts */

static int ac_online = 1;
static int capacity = 80;
static struct power_supply *mains;
static struct power_supply *battery;

static int mains_get(struct power_supply *supply, enum power_supply_property property,
		     union power_supply_propval *value)
{
	if (property != POWER_SUPPLY_PROP_ONLINE)
		return -EINVAL;
	value->intval = ac_online;
	return 0;
}

static int battery_status(void)
{
	if (!ac_online)
		return POWER_SUPPLY_STATUS_DISCHARGING;
	return capacity >= 100 ? POWER_SUPPLY_STATUS_FULL : POWER_SUPPLY_STATUS_CHARGING;
}

static int battery_get(struct power_supply *supply, enum power_supply_property property,
		       union power_supply_propval *value)
{
	switch (property) {
	case POWER_SUPPLY_PROP_PRESENT:
		value->intval = 1;
		return 0;
	case POWER_SUPPLY_PROP_STATUS:
		value->intval = battery_status();
		return 0;
	case POWER_SUPPLY_PROP_CAPACITY:
		value->intval = capacity;
		return 0;
	case POWER_SUPPLY_PROP_ENERGY_FULL:
	case POWER_SUPPLY_PROP_ENERGY_FULL_DESIGN:
		value->intval = ENERGY_FULL;
		return 0;
	case POWER_SUPPLY_PROP_ENERGY_NOW:
		value->intval = capacity * (ENERGY_FULL / 100);
		return 0;
	case POWER_SUPPLY_PROP_POWER_NOW:
		value->intval = POWER_NOW;
		return 0;
	case POWER_SUPPLY_PROP_VOLTAGE_NOW:
		value->intval = VOLTAGE_NOW;
		return 0;
	case POWER_SUPPLY_PROP_TECHNOLOGY:
		value->intval = POWER_SUPPLY_TECHNOLOGY_LION;
		return 0;
	default:
		return -EINVAL;
	}
}

static enum power_supply_property mains_properties[] = {
	POWER_SUPPLY_PROP_ONLINE,
};

static enum power_supply_property battery_properties[] = {
	POWER_SUPPLY_PROP_PRESENT,    POWER_SUPPLY_PROP_STATUS,
	POWER_SUPPLY_PROP_CAPACITY,   POWER_SUPPLY_PROP_ENERGY_FULL,
	POWER_SUPPLY_PROP_ENERGY_NOW, POWER_SUPPLY_PROP_ENERGY_FULL_DESIGN,
	POWER_SUPPLY_PROP_POWER_NOW,  POWER_SUPPLY_PROP_VOLTAGE_NOW,
	POWER_SUPPLY_PROP_TECHNOLOGY,
};

static char *mains_feeds[] = { "FBAT0" };

static const struct power_supply_desc mains_description = {
	.name = "FAC",
	.type = POWER_SUPPLY_TYPE_MAINS,
	.properties = mains_properties,
	.num_properties = ARRAY_SIZE(mains_properties),
	.get_property = mains_get,
};

static const struct power_supply_desc battery_description = {
	.name = "FBAT0",
	.type = POWER_SUPPLY_TYPE_BATTERY,
	.properties = battery_properties,
	.num_properties = ARRAY_SIZE(battery_properties),
	.get_property = battery_get,
};

static int set_and_announce(const char *text, const struct kernel_param *parameter)
{
	int error = param_set_int(text, parameter);

	if (error)
		return error;
	/* Parameters given to insmod are set before the supplies are registered. */
	if (mains)
		power_supply_changed(mains);
	if (battery)
		power_supply_changed(battery);
	return 0;
}

static const struct kernel_param_ops announced = {
	.set = set_and_announce,
	.get = param_get_int,
};
module_param_cb(ac_online, &announced, &ac_online, 0644);
module_param_cb(capacity, &announced, &capacity, 0644);

static int __init fake_power_init(void)
{
	struct power_supply_config feeds = {
		.supplied_to = mains_feeds,
		.num_supplicants = ARRAY_SIZE(mains_feeds),
	};
	struct power_supply_config plain = {};
	struct power_supply *first = power_supply_register(NULL, &mains_description, &feeds);
	struct power_supply *second;

	if (IS_ERR(first))
		return PTR_ERR(first);
	second = power_supply_register(NULL, &battery_description, &plain);
	if (IS_ERR(second)) {
		power_supply_unregister(first);
		return PTR_ERR(second);
	}
	mains = first;
	battery = second;
	return 0;
}

static void __exit fake_power_exit(void)
{
	power_supply_unregister(battery);
	power_supply_unregister(mains);
}

module_init(fake_power_init);
module_exit(fake_power_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("A fake AC adapter and battery for tests");
