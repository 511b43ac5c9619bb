import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildCommand, type FuzzTarget, keptFolder, targets } from './targets.ts'

/*
 * Coverage-guided fuzzing of the native programs that read hostile bytes, with clang's libFuzzer and the address and
 * undefined-behaviour sanitizers. An input that finds a fault is saved in `kept/TARGET`, and `kept.test.ts` runs it again.
 */
const usage =
  'npm run fuzz-native -- [--seconds N] [--target NAME]   (needs: apt-get install clang libclang-rt-14-dev)'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    target: { type: 'string' },
  },
})
const seconds = Number(values.seconds)
const chosen = Object.entries(targets).filter(
  ([name]) => values.target === undefined || name === values.target,
)
if (!Number.isInteger(seconds) || seconds < 1 || chosen.length === 0) {
  console.error(`usage: ${usage}\ntargets: ${Object.keys(targets).join(', ')}`)
  process.exit(2)
}

let faults = 0
for (const [name, target] of chosen) faults += fuzz(name, target)
process.exitCode = faults === 0 ? 0 : 1

/** Fuzzes a target; returns the number of inputs that found a fault. */
function fuzz(name: string, target: FuzzTarget): number {
  const work = mkdtempSync(`/dev/shm/fuzz-native-${name}-`)
  try {
    const program = join(work, name)
    const { args, cwd } = buildCommand(name, target, 'clang', program)
    if (spawnSync('clang', args, { cwd, stdio: 'inherit' }).status !== 0) throw new Error(`usage: ${usage}`)
    const corpus = join(work, 'corpus')
    const found = join(work, 'found')
    for (const folder of [corpus, found]) mkdirSync(folder)
    for (const [index, seed] of target.seeds().entries()) writeFileSync(join(corpus, `seed-${index}`), seed)
    if (existsSync(keptFolder(name))) copyAll(keptFolder(name), corpus)
    console.log(`${name}: ${seconds} s`)
    const bounds = [`-max_total_time=${seconds}`, '-max_len=8192', '-timeout=10', '-rss_limit_mb=1024']
    run(program, work, [...bounds, '-print_final_stats=1', `-artifact_prefix=${found}/`, corpus])
    keepAll(found, name)
    return readdirSync(found).length
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** Targets use standard output themselves, so it is ignored. */
function run(program: string, cwd: string, args: string[]): void {
  const stdio = ['ignore', 'ignore', 'inherit'] as const
  const { status, error } = spawnSync('nice', ['-n', '19', program, ...args], { cwd, stdio: [...stdio] })
  if (error) throw error
  console.log(`  exit code ${status}`)
}

function copyAll(from: string, to: string): void {
  for (const name of readdirSync(from)) copyFileSync(join(from, name), join(to, name))
}

function keepAll(from: string, target: string): void {
  for (const name of readdirSync(from)) {
    mkdirSync(keptFolder(target), { recursive: true })
    copyFileSync(join(from, name), join(keptFolder(target), name))
    console.log(`  kept ${target}/${name}`)
  }
}
