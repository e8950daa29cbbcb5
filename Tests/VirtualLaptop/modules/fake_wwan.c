// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
/* A network interface that looks like a modem (DEVTYPE=wwan), for tests. It drops all packets. */
#include <linux/etherdevice.h>
#include <linux/module.h>

static struct net_device *modem;
static const struct device_type wwan_type = { .name = "wwan" };

static netdev_tx_t drop(struct sk_buff *packet, struct net_device *device)
{
	device->stats.tx_dropped++;
	dev_kfree_skb(packet);
	return NETDEV_TX_OK;
}

static const struct net_device_ops operations = { .ndo_start_xmit = drop };

static int __init fake_wwan_init(void)
{
	int error;

	modem = alloc_netdev(0, "wwan%d", NET_NAME_ENUM, ether_setup);
	if (!modem)
		return -ENOMEM;
	modem->netdev_ops = &operations;
	eth_hw_addr_random(modem);
	SET_NETDEV_DEVTYPE(modem, &wwan_type);
	error = register_netdev(modem);
	if (error)
		free_netdev(modem);
	return error;
}

static void __exit fake_wwan_exit(void)
{
	unregister_netdev(modem);
	free_netdev(modem);
}

module_init(fake_wwan_init);
module_exit(fake_wwan_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("A fake modem's network interface for tests");
