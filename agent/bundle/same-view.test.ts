import { afterAll, beforeAll, expect, test } from 'vitest'
import { busybox, shellJob, TestAgent } from '../../testing/agent/test-agent.ts'
import { linkBuilder } from '../../testing/agent/test-builder.ts'
import { runnerOn } from '../images/runner.ts'
import type { SandboxSpec } from '../port/sandbox-spec.ts'

/* A program finds the same sandbox on crun and on the launcher, fact by fact. */

let agent: TestAgent
let image: string

beforeAll(async () => {
  agent = await TestAgent.start()
  await linkBuilder(agent)
  image = await agent.image([[{ name: 'tmp/of-the-image' }, 'x']])
})
afterAll(() => agent.dispose())

const facts = `
  grep -vE '^(Pid|Tgid|NSpid|NStgid|NSpgid|NSsid|PPid|Ngid|Vm|Rss|HugetlbPages|Threads|voluntary|nonvoluntary|Cpus|Mems|State|SigQ)' /proc/self/status
  cat /proc/self/limits /proc/self/uid_map /proc/self/gid_map /proc/self/setgroups /proc/self/oom_score_adj
  awk '{ root = $4; place = $5; flags = $6; for (at = 7; $at != "-"; at++); print place, root, flags, $(at + 1), $(at + 2), $(at + 3) }' \\
    /proc/self/mountinfo | sort
  find /dev /proc/sys/net/ipv4/conf | sort | while read -r path; do stat -c '%n %F %a %u %g %t %T' "$path"; done
  for link in fd stdin stdout stderr ptmx core; do echo $link $(readlink /dev/$link); done
  for name in asound acpi bus fs irq scsi sys sysrq-trigger kcore keys timer_list interrupts; do
    stat -c '%n %F %a %s' /proc/$name 2>&1; done
  cat /proc/keys /proc/interrupts /proc/sys/net/ipv4/ip_unprivileged_port_start /proc/net/dev 2>&1 | grep -v lo:
  for kind in ipc uts net pid user mnt cgroup time; do [ $(readlink /proc/self/ns/$kind) = $(readlink /proc/1/ns/$kind) ] && echo $kind; done
  env | sort; id; umask; pwd; hostname; cat /proc/sys/kernel/domainname; cat /proc/self/cgroup | cut -d: -f2- | sort
  ls -la / /workspace /tmp | grep -vE ' [.]+$'; ls -l /proc/self/fd | grep -c .
  cat /proc/self/attr/current /proc/self/loginuid /proc/self/personality /proc/self/coredump_filter 2>&1`

async function factsOn(runtime: 'crun' | 'launcher', spec: Partial<SandboxSpec>): Promise<string[]> {
  const job = { ...shellJob(image, ''), ...spec, runtime }
  const { exit, log } = await agent.run({ ...job, argv: [busybox, 'sh', '-c', facts] })
  expect(exit, log).toMatchObject({ cause: 'exited' })
  return log.split('\n').map(comparable)
}

/**
 * A line without what differs from start to start: times, loop devices, ids of the range, numbers of processes, and the hard links
 * of a file, since the agents of all tests on this machine link to the files of one builder. And without what the launcher does
 * better: its covers in /proc keep the flags of /proc, which those of crun have not, and the empty folder is bounded.
 */
const comparable = (line: string): string =>
  line
    .replace(/^(\/proc\/\S+ \S+ r[ow])(,nosuid|,nodev|,noexec)+/, '$1')
    .replaceAll(/,(size|nr_inodes|uid|gid)=\d+k?/g, '')
    .replace(/ [A-Z][a-z]{2} +\d+ [\d:]+ /, ' ')
    .replace(/\/dev\/loop\d+/, '/dev/loop')
    .replace(/^( +0 +)\d+/, '$1')
    .replace(/^([-l]\S{9} +)\d+/, '$1')
    .replace(/\d+( +\S+ +\S+ +\d+ proc)$/, '$1')

test('an image that is approved for crun needs no approval for the launcher', () => {
  expect(runnerOn('layer', ['launcher'])).toEqual(runnerOn('layer', ['crun']))
})

const build: Partial<SandboxSpec> = {
  rootfs: { kind: 'builder' },
  confinement: 'build',
  limits: { ...shellJob('', '').limits, workspaceKind: 'disk', memoryBytes: 512 * 1024 ** 2, pids: 200 },
}

test.each([
  ['a job of root', {}],
  ['a job of another user', { user: { uid: 1000, gid: 100 } }],
  ['a job with variables', { env: { NAME: 'two\nlines', HOME: '/tmp' } }],
  ['a build', build],
])('%s finds the same on both', async (_who, spec) => {
  const [crun, launcher] = [await factsOn('crun', spec), await factsOn('launcher', spec)]
  expect(crun.length).toBeGreaterThan(100)
  expect(launcher).toEqual(crun)
})
