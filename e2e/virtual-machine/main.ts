import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { suites } from '../first-hour/debian-root.ts'
import { Machine } from './machine.ts'

/*
 * Commands of this checkout on a newly made Debian with a kernel and a systemd of its own, under qemu. Needs root, mmdebstrap, a
 * network and memory for the machine. Emulation works everywhere and is ten to twenty times slower: enough for ./quickstart.
 * With --accel kvm also './check', 'npm run escape' and 'npm run crash'.
 */
const { values, positionals } = parseArgs({
  options: {
    suite: { type: 'string', default: 'trixie' },
    accel: { type: 'string', default: 'tcg' },
    'memory-mib': { type: 'string', default: '8192' },
  },
  allowPositionals: true,
})
const usage = `usage: npm run virtual-machine -- [--suite ${suites.join('|')}] [--accel tcg|kvm] [--memory-mib N] [COMMAND]...`
if (!suites.includes(values.suite)) fail(usage)
if (!existsSync('/usr/bin/qemu-system-x86_64') || !existsSync('/usr/bin/mmdebstrap')) {
  fail('needs qemu and mmdebstrap: apt-get install --no-install-recommends qemu-system-x86 mmdebstrap')
}
const commands = positionals.length > 0 ? positionals : ['./quickstart --once']
const machine = await Machine.make(values.suite, commands)
const options = { accel: values.accel, memoryMib: Number(values['memory-mib']) }
let lines: string[] = []
try {
  lines = await machine.run(options, (line) => console.log(line))
} finally {
  await machine.dispose()
}
const made = lines.map((line) => /machine: (.*)/.exec(line)?.[1]).find(Boolean)
const ended = lines.map((line) => /ended: 0 in \d+ s: (.*)/.exec(line)?.[1]?.trim())
const passed = commands.filter((command) => ended.includes(command))
const failed = commands.length - passed.length
console.log(JSON.stringify({ suite: 'virtual-machine', machine: made, cases: commands.length, failed }))
process.exitCode = failed > 0 || !made?.includes('cgroup2fs, systemd') ? 1 : 0

function fail(text: string): never {
  console.error(text)
  process.exit(2)
}
