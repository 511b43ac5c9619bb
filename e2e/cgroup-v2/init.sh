#!/bin/busybox sh
# Process 1 of the machine: loads modules, mounts a tmpfs overlay above the host's files, and switches to it as root.
set -e
export PATH=/bin
/bin/busybox --install -s /bin
mount -t proc none /proc
mount -t sysfs none /sys
mount -t devtmpfs none /dev
for module in virtio_pci 9pnet_virtio 9p overlay virtio_blk crc32c_generic ext4; do modprobe "$module"; done

mkdir -p /host /layer /root
mount -t 9p -o ro,trans=virtio,version=9p2000.L,msize=1048576,cache=loose host /host
mount -t tmpfs none /layer
mkdir /layer/upper /layer/work
mount -t overlay -o lowerdir=/host,upperdir=/layer/upper,workdir=/layer/work none /root

# The scratch disk: images need a file system with idmapped mounts, which overlays lack.
mount -t ext4 /dev/vda /root/tmp
mount -t tmpfs none /root/run
mkdir -p /root/lib/modules /root/sys /root/proc /root/dev
mount -t 9p -o ro,trans=virtio,version=9p2000.L,msize=1048576,cache=loose modules /root/lib/modules
mount --move /proc /root/proc
mount --move /sys /root/sys
mount --move /dev /root/dev
mkdir -p /root/dev/pts /root/dev/shm
mount -t devpts none /root/dev/pts
mount -t tmpfs none /root/dev/shm
mount -t cgroup2 none /root/sys/fs/cgroup
TREE=$(sed 's/.*tree=\([^ ]*\).*/\1/' /root/proc/cmdline)
exec switch_root /root /bin/sh "$TREE/e2e/cgroup-v2/guest.sh" "$TREE"
