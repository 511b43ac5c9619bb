import { buildCommand } from '../../server/builds/builder/build-script.ts'
import type { BuilderBench, Entries } from '../../testing/builds/builder-bench.ts'
import type { HostileArchive } from './archive-cases.ts'
import { type HostileDockerfile, testBase } from './dockerfile-cases.ts'
import type { HostCanaries } from './host-canaries.ts'
import { residueOf } from './residue.ts'

/*
 * The sandbox without the gate: cases that the gate would refuse go straight to the builder. Many cases share a sandbox,
 * which is weaker than in production. In parallel with each sandbox an honest
 * build runs, which has to succeed.
 */

/** Time limit of one case. */
const bounded = 'timeout -k 1 30'
const tidy = 'buildah rm --all >/dev/null 2>&1; buildah rmi --prune --force >/dev/null 2>&1'

const buildEach = `
set +e
for case in context/cases/*; do
  printf '\\n=== %s\\n' "$case"
  ${bounded} ${buildCommand} -t case -f $case context 2>&1 | head -c 8000
  ${tidy}
done
printf '\\n=== all\\n'
`

/** Unpacks with tar, as a build sandbox unpacks its context, and with the builder's ADD; zips with Python in a step. */
const unpackEach = `
set +e
for case in context/cases/*; do
  printf '\\n=== %s\\n' "$case"
  rm -rf x; mkdir x
  case $case in
    *.tar) ${bounded} tar -C x -xf $case 2>&1 | head -c 2000 ;;
    *.tar.gz) ${bounded} tar -C x -xzf $case 2>&1 | head -c 2000 ;;
  esac
  rm -rf x
  case $case in
    *.tar | *.tar.gz)
      printf 'FROM scratch\\nADD %s /x/\\n' "\${case#context/}" >Adding
      ${bounded} ${buildCommand} -t case -f Adding context 2>&1 | head -c 2000
      ${tidy} ;;
  esac
done
printf 'FROM ${testBase}\\nCOPY . /c\\nRUN python3 /c/unzip.py\\n' >Unzipping
timeout -k 1 300 ${buildCommand} -t case -f Unzipping context 2>&1 | head -c 100000
printf '\\n=== all\\n'
`

const unzip = `
import glob, zipfile
for path in sorted(glob.glob('/c/cases/*.zip')):
    try:
        zipfile.ZipFile(path).extractall('/x')
        print('unpacked', path)
    except Exception as error:
        print(type(error).__name__, path)
`

export interface BuilderReport {
  cases: number
  failures: string[]
}

/** Builds every Dockerfile, in batches of one sandbox. */
export async function buildDockerfiles(
  bench: BuilderBench,
  canaries: HostCanaries,
  all: HostileDockerfile[],
  perSandbox = 60,
): Promise<BuilderReport> {
  const batches = batchesOf(all, perSandbox).map((batch) =>
    batch.map(({ text }, index): Entries[number] => {
      // Replaces the registry with a server on this machine.
      const content = text.replaceAll('example.org', bench.machineAddress ?? canaries.address)
      return [{ name: `context/cases/${String(index).padStart(3, '0')}` }, content]
    }),
  )
  return await runBatches({ bench, canaries, batches, script: buildEach })
}

/** Unpacks every archive, in every way that the builder can. */
export async function unpackArchives(
  bench: BuilderBench,
  canaries: HostCanaries,
  all: HostileArchive[],
  perSandbox = 150,
): Promise<BuilderReport> {
  const batches = batchesOf(all, perSandbox).map((batch) => [
    ...batch.map(({ format, bytes }, index): Entries[number] => [
      { name: `context/cases/${String(index).padStart(3, '0')}.${format}` },
      bytes,
    ]),
    [{ name: 'context/unzip.py' }, unzip] satisfies Entries[number],
  ])
  return await runBatches({ bench, canaries, batches, script: unpackEach })
}

interface Batches {
  bench: BuilderBench
  canaries: HostCanaries
  batches: Entries[]
  script: string
}

async function runBatches({ bench, canaries, batches, script }: Batches): Promise<BuilderReport> {
  const report: BuilderReport = { cases: 0, failures: [] }
  for (const batch of batches) {
    const [{ exit, log }, honest] = await Promise.all([
      bench.script(script, [...surroundings(canaries), ...batch]),
      bench.build([[{ name: 'context/Dockerfile' }, `FROM ${testBase}\nRUN echo honest >/x\n`]], [testBase]),
    ])
    const run = log.match(/^=== context\/cases\//gm)?.length ?? 0
    const expected = batch.filter(([{ name }]) => name.startsWith('context/cases/')).length
    const isWhole = run === expected && log.includes('\n=== all\n')
    report.cases += run
    if (!isWhole)
      report.failures.push(`a sandbox ended early (${exit.cause}) after ${run} of ${expected} cases`)
    if (honest.exit.exitCode !== 0) {
      const { cause, exitCode } = honest.exit
      const last = honest.log.trimEnd().split('\n').at(-1)
      report.failures.push(`another build failed meanwhile (${cause} ${exitCode}): ${last}`)
    }
    report.failures.push(...(await canaries.touched(log)), ...(await residueOf(bench.agent)))
  }
  return report
}

/** Targets for hostile steps: links out of the context, and existing files. */
const surroundings = (canaries: HostCanaries): Entries => [
  [{ name: 'context/link', type: 'symlink', linkname: canaries.folder }],
  [{ name: 'context/x', type: 'symlink', linkname: '/' }],
  [{ name: 'context/a' }, 'a file'],
  [{ name: 'context/b' }, 'a file'],
]

const batchesOf = <T>(all: T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
    all.slice(index * size, (index + 1) * size),
  )
