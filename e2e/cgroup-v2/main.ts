import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { Machine } from './machine.ts'

/*
 * The executor's tests of crun and the launcher on a machine with version 2 of control groups only: Debian's kernel under qemu, with this
 * machine's files as its root. Needs root, 4 GiB of memory and apt-get. Emulation works everywhere and takes half an hour;
 * --accel kvm is for machines with virtualization.
 */
const { values } = parseArgs({ options: { accel: { type: 'string', default: 'tcg' } } })
if (!existsSync('/usr/bin/qemu-system-x86_64')) {
  console.error('npm run cgroup-v2 needs qemu: apt-get install --no-install-recommends qemu-system-x86')
  process.exit(2)
}
const machine = await Machine.make()
let lines: string[] = []
try {
  lines = await machine.run(values.accel, (line) => console.log(line))
} finally {
  await machine.dispose()
}
const report = lines.find((line) => line.startsWith('report: '))
const isVersion2 = lines.some((line) => /machine: .*cgroup2fs/.test(line))
const { passed, failed } = JSON.parse(report?.slice('report: '.length) ?? '{"passed":0,"failed":0}') as {
  passed: number
  failed: number
}
console.log(JSON.stringify({ suite: 'cgroup-v2', version: isVersion2 ? 2 : null, passed, failed }))
process.exitCode = isVersion2 && passed > 0 && failed === 0 ? 0 : 1
