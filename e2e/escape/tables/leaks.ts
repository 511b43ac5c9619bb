import { readFileSync } from 'node:fs'
import { hostname, totalmem } from 'node:os'
import { basename } from 'node:path'
import { stagingFolder } from '../../../agent/host/paths.ts'
import type { Attempt, Table } from '../attempt.ts'
import type { Testbed } from '../testbed.ts'

/** A pattern that finds `text` and not itself in a command line. */
const pattern = (text: string) => `${text.slice(0, -1)}[${text.at(-1)}]`
const first = (path: string) => readFileSync(path, 'utf8').split(/\s+/)[0] ?? ''

/** Sizes and loads of the host. */
const ofMachine: Attempt[] = [
  {
    name: 'tells_processors',
    what: 'counts more processors than it was given',
    command: `[ $(grep -c '^processor' /proc/cpuinfo) -gt 1 ]`,
    gvisorNote: `gVisor's own list, of the processors of its process`,
  },
  {
    name: 'tells_uptime',
    what: 'finds how long the host has been up',
    command: `[ $(cut -d. -f1 /proc/uptime) -gt ${Math.floor(Number(first('/proc/uptime')) / 2)} ]`,
  },
  {
    name: 'tells_load',
    what: 'finds more processes than its own in the load',
    command: `[ $(cut -d' ' -f4 /proc/loadavg | cut -d/ -f2) -gt 64 ]`,
  },
  {
    name: 'tells_disks',
    what: 'finds disks of the host',
    command: 'grep -qE "vd|sd|nvme|loop" /proc/diskstats /proc/partitions',
  },
  {
    name: 'tells_neighbours_shm',
    what: 'finds a segment of memory that is not its own',
    command: 'grep -vq key /proc/sysvipc/shm || probe any-shared-memory',
  },
]

/** Information about the host, and secrets of others. */
export function leaks({ canaries, agent }: Testbed): Table {
  const secret = pattern(canaries.secret)
  const search = (name: string, files: string) => ({
    name: `secret_in_${name}`,
    what: `looks for a neighbour's secret in ${files}`,
    command: `grep -qs ${secret} ${files}`,
  })
  const finds = (name: string, what: string, file: string, text: string) => ({
    name: `tells_${name}`,
    what,
    command: `grep -qsi -- '${pattern(text)}' ${file}`,
  })
  const folder = basename(agent.dataDir)
  return {
    class: 'leaks',
    attempts: [
      search('environments', '/proc/*/environ'),
      search('command_lines', '/proc/*/cmdline'),
      search('standard_places', '/etc/* /run/* /root/* /var/*/* /tmp/* /dev/shm/*'),
      {
        name: 'secret_behind_descriptors',
        what: 'finds a file of somebody else behind a descriptor',
        command: `ls -l /proc/[0-9]*/fd/ | grep -q '${pattern('sbj-neighbour')}\\|${pattern(folder)}'`,
      },
      search('own_input', '/proc/self/fd/0'),
      search('roots', '/proc/[0-9]*/root/workspace/* /proc/[0-9]*/cwd/*'),
      search('platform', '/.sandbox/*'),
      {
        ...search('whole_tree', '/'),
        command: `find / -xdev -type f -size -2000k -exec grep -ls ${secret} {} + | grep -q .`,
      },
      { name: 'used_memory', what: 'finds something in fresh memory', command: 'probe used-memory' },
      { name: 'used_disk', what: 'finds something in a fresh file', command: 'probe used-disk' },
      finds('folder_mountinfo', `finds the agent's folder among the mounts`, '/proc/self/mountinfo', folder),
      finds('folder_mounts', `finds the agent's folder among the mounts`, '/proc/mounts', folder),
      finds('staging_mounts', 'finds the place where sandboxes are made', '/proc/1/mounts', agent.dataDir),
      finds(
        'layers',
        'finds where the layers of its root lie on the host',
        '/proc/self/mountinfo /proc/mounts',
        stagingFolder,
      ),
      finds('command_line', 'finds how the host was started', '/proc/cmdline', longestCommandLineWord()),
      finds('group_self', 'finds the control group that it is in', '/proc/self/cgroup', agent.cgroup),
      finds('group_1', 'finds the control group of process 1', '/proc/1/cgroup', agent.cgroup),
      finds('environment', 'finds the agent in an environment', '/proc/*/environ', 'SANDBOX_DATA'),
      finds('folder_environment', `finds the agent's folder in an environment`, '/proc/*/environ', folder),
      finds(
        'folder_command_line',
        `finds the agent's folder in a command line`,
        '/proc/[0-9]*/cmdline',
        folder,
      ),
      finds('descriptors', `finds the agent's folder behind a descriptor`, '/proc/self/fdinfo/*', folder),
      finds(
        'hostname',
        `finds the host's name`,
        '/proc/sys/kernel/hostname /etc/hostname /etc/hosts',
        hostname(),
      ),
      finds(
        'memory',
        `finds the host's memory`,
        '/proc/meminfo',
        `MemTotal: *${Math.floor(totalmem() / 1024)} kB`,
      ),
      finds('machine_id', `finds the host's id`, '/etc/machine-id', readOrPlaceholder('/etc/machine-id')),
      ...ofMachine,
    ],
  }
}

/** The longest word of the host's kernel command line. */
const longestCommandLineWord = () =>
  readOrPlaceholder('/proc/cmdline')
    .split(/\s+/)
    .reduce((longest, word) => (word.length > longest.length ? word : longest))

const readOrPlaceholder = (path: string) => {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    return 'no-such-id'
  }
}
