import { expect, test } from 'vitest'
import { shellJob } from '../../testing/agent/test-agent.ts'
import { findCgroups } from './cgroup-layout.ts'
import { planCgroups } from './cgroups.ts'

const limits = { ...shellJob(`sha256:${'0'.repeat(64)}`, 'true').limits, vcpu: 1.5, memoryBytes: 2 ** 27 }

const version1 = `
32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct
35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
37 31 0:34 / /sys/fs/cgroup/devices rw,relatime - cgroup cgroup rw,devices
39 31 0:36 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids
41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
`
const version2 = '29 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n'

test('controllers of version 1 are found by their mounts, shared folders once', () => {
  const layout = findCgroups(version1, '')
  if (!layout) throw new Error('version 1 was not found')
  const plan = planCgroups(layout, 'parent', { name: 'run_1', limits })
  expect(plan.folders).toEqual([
    '/sys/fs/cgroup/pids/parent/run_1',
    '/sys/fs/cgroup/memory/parent/run_1',
    '/sys/fs/cgroup/cpu,cpuacct/parent/run_1',
    '/sys/fs/cgroup/devices/parent/run_1',
  ])
  expect(plan.settings).toContainEqual({
    slug: 'limit_cpu',
    path: '/sys/fs/cgroup/cpu,cpuacct/parent/run_1/cpu.cfs_quota_us',
    value: '150000',
  })
})

test('version 2 gets every limit in one group', () => {
  const layout = findCgroups(version2, 'cpuset cpu io memory hugetlb pids\n')
  if (!layout) throw new Error('version 2 was not found')
  const plan = planCgroups(layout, 'parent', { name: 'run_1', limits })
  expect(plan.folders).toEqual(['/sys/fs/cgroup/parent/run_1'])
  expect(plan.shown).toBe('/sys/fs/cgroup/parent/run_1')
  expect(plan.devices).toContain('136:*')
  expect(Object.fromEntries(plan.settings.map(({ path, value }) => [path.split('/').at(-1), value]))).toEqual(
    {
      'memory.max': '134217728',
      'memory.swap.max': '0',
      'cpu.max': '150000 100000',
      'cpu.weight': '1500',
      'pids.max': String(limits.pids + 2),
    },
  )
})

test.each([
  [version1.replace('rw,memory', 'rw,memory,cpuset'), '', '/sys/fs/cgroup/memory/parent/run_1/cpuset.cpus'],
  [version2, 'cpuset cpu memory pids', '/sys/fs/cgroup/parent/run_1/cpuset.cpus'],
])('processors are given where the controller is', (mountInfo, controllers, cpusPath) => {
  const layout = findCgroups(mountInfo, controllers)
  if (!layout) throw new Error('no layout was found')
  const plan = planCgroups(layout, 'parent', { name: 'run_1', limits, cpus: [0, 2] })
  expect(plan.cpusPath).toBe(cpusPath)
  expect(plan.settings).toContainEqual({ slug: 'limit_cpus', path: cpusPath, value: '0,2' })
  expect(planCgroups(layout, 'parent', { name: 'run_1', limits }).cpusPath).toBeUndefined()
})

test('a machine without one of the controllers is refused', () => {
  expect(findCgroups(version2, 'cpu pids\n')).toBeUndefined()
  for (const name of ['memory', 'devices'])
    expect(findCgroups(version1.replace(`rw,${name}`, 'rw'), '')).toBeUndefined()
})
