import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { basename } from 'node:path'
import { stagingFolder } from '../../../agent/host/paths.ts'
import type { Attempt, Table } from '../attempt.ts'
import type { Testbed } from '../testbed.ts'

const mounts = '/proc/self/mountinfo /proc/mounts'

/** The host's resolvers, as its own programs find them. */
const resolvers = (): string[] =>
  [...readFileSync('/etc/resolv.conf', 'utf8').matchAll(/^\s*nameserver\s+(\S+)/gm)].map(
    ([, address = '']) => address,
  )

const finds = (name: string, what: string, text: string, files: string): Attempt => ({
  name: `tells_${name}`,
  what,
  command: `grep -qsF -- '${text}' ${files}`,
})

/** Facts that a build step finds about the machine after leaving buildah's chroot. */
export function builds({ agent }: Testbed): Table {
  return {
    class: 'builds',
    spec: { rootfs: { kind: 'builder' }, confinement: 'build', runtime: 'crun' },
    attempts: [
      { name: 'sysfs', what: `finds a file of the host's /sys`, command: 'find /sys -type f | grep -q .' },
      {
        name: 'vmcoreinfo',
        what: 'reads where the kernel keeps what a crash needs',
        command: 'grep -q . /sys/kernel/vmcoreinfo',
      },
      finds('base_images', `finds the agent's folder among the mounts`, basename(agent.dataDir), mounts),
      finds('staging', 'finds where the layers of its root lie on the host', stagingFolder, mounts),
      finds('hostname', `finds the host's name`, hostname(), '/etc/hostname /etc/hosts'),
      ...resolvers().map((address, at) =>
        finds(`resolver_${at}`, `finds the host's resolver`, address, '/etc/resolv.conf'),
      ),
    ],
  }
}
