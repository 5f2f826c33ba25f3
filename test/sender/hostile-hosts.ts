const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/**
 * Hosts of URLs that the service must not call, by kind. All are address literals, some in notations that only a URL
 * parser recognises, so no host is ever looked up.
 */
export const hostileLiterals: Record<string, readonly string[]> = {
  'loopback, in the notations that URL parsers accept': words(`
    127.0.0.1 127.0.0.1. 127.255.255.254 127.1 127.0.1 2130706433 0x7f000001 0x7f.1 0x7f.0x0.0x0.0x1 017700000001
    0177.0.0.1 0177.0.0.01 127.0.0.0x1 %31%32%37.0.0.1 １２７.０.０.１ 127。0。0。1 ①②⑦.⓪.⓪.① [::1] [0:0:0:0:0:0:0:1]
    [0000:0000:0000:0000:0000:0000:0000:0001]`),
  'this host and this network': words('0.0.0.0 0 0.1.2.3 [::]'),
  'private networks': words(`
    10.0.0.1 10.255.255.255 172.16.0.1 172.31.255.255 192.168.0.1 192.168.1 3232235777
    [fc00::1] [fd12:3456:789a::1] [fec0::1]`),
  'link-local, with the metadata services of the clouds': words(`
    169.254.169.254 0xa9fea9fe 2852039166 0251.0376.0251.0376 169.254.170.2
    [fe80::1] [febf::1] [fd00:ec2::254] 100.100.100.200`),
  'shared address space of carriers': words('100.64.0.1 100.127.255.254'),
  'documentation, benchmarks and protocol assignments': words(`
    192.0.0.8 192.0.2.1 198.51.100.1 203.0.113.1 198.18.0.1 198.19.255.255 192.88.99.1
    [2001:db8::1] [3fff::1] [2001:2::1]`),
  'multicast, broadcast and class E': words(`
    224.0.0.1 239.255.255.250 240.0.0.1 255.255.255.254 255.255.255.255 [ff02::1] [ff0e::1]`),
  'IPv6 addresses with an IPv4 address inside': words(`
    [::ffff:127.0.0.1] [::ffff:7f00:1] [::ffff:10.0.0.1] [::ffff:8.8.8.8] [::127.0.0.1] [::7f00:1] [::ffff:0:127.0.0.1]
    [64:ff9b::127.0.0.1] [64:ff9b::a9fe:a9fe] [64:ff9b:1::10.0.0.1] [2002:7f00:1::] [2002:a9fe:a9fe::1]
    [2001:0:7f00:1::1] [2001::1]`),
  'IPv6 ranges that are not global unicast': words(`
    [100::1] [100:0:0:1::1] [2001:10::1] [2001:20::1] [2001:30::1] [5f00::1] [4000::1] [200::1]`),
};

/** Names that mean the machine itself or a local network, by definition or custom. */
export const localNames = words(`
  localhost localhost. LOCALHOST ｌｏｃａｌｈｏｓｔ api.localhost printer.local
  metadata.google.internal metadata.google.internal. internal`);
