import type { Table } from '../attempt.ts'

const present =
  `mem kmem port kmsg sda vda loop0 loop-control fuse kvm net/tun vhost-net vhost-vsock vsock hwrng
  mapper/control uinput uhid input/event0 dri/card0 ttyS0 tty0 tty1 console autofs btrfs-control cpu_dma_latency userfaultfd
  hpet rtc0 nvram watchdog snapshot cuse ppp rfkill mcelog nvme0 nbd0 vfio/vfio udmabuf dma_heap/system sgx_enclave
  cpu/0/msr raw/rawctl initctl log`.split(/\s+/)

const gvisorDevices = new Set(['fuse', 'net/tun'])

/** Type, major and minor of what would reach memory, disks, the network or the kernel. */
const made: [string, string][] = [
  ['memory', 'c 1 1'],
  ['kernel_memory', 'c 1 2'],
  ['null', 'c 1 3'],
  ['ports', 'c 1 4'],
  ['kernel_log', 'c 1 11'],
  ['console', 'c 5 1'],
  ['terminals', 'c 5 2'],
  ['misc_tun', 'c 10 200'],
  ['misc_fuse', 'c 10 229'],
  ['misc_kvm', 'c 10 232'],
  ['misc_loop', 'c 10 237'],
  ['msr', 'c 202 0'],
  ['loop', 'b 7 0'],
  ['scsi', 'b 8 0'],
  ['device_mapper', 'b 253 0'],
  ['virtio', 'b 254 0'],
  ['nvme', 'b 259 0'],
]

export const devices: Table = {
  class: 'devices',
  attempts: [
    ...present.map((device) => ({
      name: `open_${device.replaceAll(/\W/g, '_')}`,
      what: `opens /dev/${device}`,
      command: `probe open /dev/${device}`,
      ...(gvisorDevices.has(device) ? { gvisorNote: 'a device of its own kernel' } : {}),
    })),
    ...made.flatMap(([name, numbers]) => [
      {
        name: `make_${name}`,
        what: `makes the node ${numbers} in its workspace and opens it`,
        command: `mknod /workspace/${name} ${numbers} && probe open /workspace/${name}`,
      },
    ]),
    ...['/tmp', '/dev', '/dev/shm', '/dev/pts', '/'].map((folder) => ({
      name: `make_in${folder.replaceAll('/', '_')}`,
      what: `makes a node of the first disk in ${folder}`,
      command: `mknod ${folder}/escape b 254 0 && probe open ${folder}/escape`,
    })),
    {
      name: 'terminal',
      what: 'types into a terminal that was left to it',
      command: 'probe terminal',
    },
    {
      name: 'line_discipline',
      what: 'gives a terminal another line discipline, which the kernel would load (CVE-2023-6546)',
      command: 'probe line-discipline 0x5423',
    },
    {
      name: 'terminals_of_others',
      what: 'takes more terminals than one sandbox may have',
      command: 'probe terminals 17',
      gvisorNote: 'terminals of its own kernel',
    },
    {
      name: 'loop_set_up',
      what: 'makes a disk of a file',
      command: 'dd if=/dev/zero of=/workspace/d bs=1k count=64; losetup /dev/loop0 /workspace/d',
    },
    { name: 'block_sizes', what: 'finds a disk of the host', command: 'grep -q . /sys/class/block/*/size' },
  ],
}
