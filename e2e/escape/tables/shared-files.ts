import type { Attempt, Table } from '../attempt.ts'

/** A file of the image, one of the platform, and a device: the neighbour has them too. */
const shared = ['/usr/bin/holds', '/.sandbox/busybox', '/dev/null']

/** Kinds of holds that affect the inode, and everyone who opens it. */
const refused = {
  'write-lease': 'holds up whoever opens',
  'read-lease': 'holds up whoever writes to',
  notify: 'is notified of events around',
  inotify: 'is notified of events on',
  fanotify: 'is notified of events on',
  'locked-pages': 'keeps in memory',
  'locked-map': 'keeps in memory',
  'write-hint': 'sets the write lifetime hint of',
}

const ofFile = (path: string, at: number): Attempt[] =>
  Object.entries(refused).map(([kind, does]) => ({
    name: `${kind.replace('-', '_')}_${at}`,
    what: `${does} ${path}`,
    command: `holds hold ${kind} ${path} | grep -q held`,
  }))

/** Those that the neighbour holds (`be_neighbour` in probe.c). */
const meets = ([kind, path]: [string, string]): Attempt => ({
  name: `met_${kind}_${path.split('/').at(-1)}`.replaceAll('-', '_'),
  what: `meets a neighbour's lock of ${path}`,
  command: `holds meet ${kind} ${path} | grep -q met`,
})

/** Locks, leases and watches on shared files. */
export const sharedFiles: Table = {
  class: 'shared files',
  attempts: [
    ...shared.flatMap(ofFile),
    ...(
      [
        ['flock', '/dev/null'],
        ['record-lock', '/dev/zero'],
        ['open-file-lock', '/dev/full'],
        ['flock', '/.sandbox/busybox'],
        ['record-lock', '/usr/bin/probe'],
        ['open-file-lock', '/proc/meminfo'],
      ] as [string, string][]
    ).map(meets),
  ],
}
