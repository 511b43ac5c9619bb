import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { contextBounds } from '../../reader/formats/archive.ts'
import { contextLimits } from '../../reader/process/archive-readers.ts'
import { largeTar, largeTarGz, largeZip } from '../../reader/process/large-archives.ts'
import { ReaderProcess } from '../../reader/process/reader-process.ts'
import { startTestReader } from '../../testing/test-readers.ts'
import { FuzzArchives } from './fuzz-archives.ts'

/*
 * Randomly mutated archives in real reader processes, and one of 1 GiB in each format to measure memory. The line of a
 * failure reproduces it: `--seed S --only NUMBER`.
 */
const usage = 'node proofs/fuzz-archives/main.ts [--cases N] [--seed S] [--only NUMBER]'
const shownMax = 20
const mib = 1024 ** 2
/** A file that hostile entries of the samples try to write. */
const canary = '/tmp/fuzz-canary'

const { values } = parseArgs({
  options: {
    cases: { type: 'string', default: '20000' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    only: { type: 'string' },
  },
})
const seed = wholeNumber(values.seed)
const first = values.only === undefined ? 0 : wholeNumber(values.only)
const end = values.only === undefined ? wholeNumber(values.cases) : first + 1

function wholeNumber(text: string): number {
  if (/^\d{1,12}$/.test(text)) return Number(text)
  console.error(`usage: ${usage}`)
  process.exit(2)
}

let failed = 0
const fail = (what: object) => {
  failed += 1
  if (failed <= shownMax) console.log(JSON.stringify({ seed, ...what }))
}

const fuzz = new FuzzArchives(seed)
for (let number = first; number < end; number += 1) {
  const fault = await fuzz.try(number)
  if (fault) fail({ number, fault })
  if ((number + 1) % 10_000 === 0) console.log(`${number + 1} cases, ${failed} failed`)
}
await fuzz.close()
if (existsSync(canary)) fail({ fault: `${canary} was written` })

const largePeaks = values.only === undefined ? await readLarge() : {}
for (const [verdict, count] of [...fuzz.verdicts].sort(([, one], [, other]) => other - one)) {
  console.log(`${String(count).padStart(8)}  ${verdict}`)
}
const { compared, readers, peakBytes } = fuzz
if (peakBytes > contextLimits.memoryBytes) fail({ fault: 'a reader exceeded its memory limit' })
const peakMib = Math.round(peakBytes / mib)
console.log(
  JSON.stringify({
    suite: 'fuzz-archives',
    cases: end - first,
    failed,
    seed,
    compared_with_python: compared,
    readers,
    peak_mib: peakMib,
    peak_mib_at_1_gib: largePeaks,
  }),
)
process.exitCode = failed > 0 ? 1 : 0

/** Peak memory of a reader of 1 GiB, by format. */
async function readLarge(): Promise<Record<string, number>> {
  const peaks: Record<string, number> = {}
  for (const [format, make] of [
    ['tar', largeTar],
    ['tar.gz', largeTarGz],
    ['zip', largeZip],
  ] as const) {
    const source = make({ fileBytes: 4 * mib, files: 250, smallFiles: 20_000 })
    const reader = new ReaderProcess(startTestReader, contextLimits)
    const { kind } = await reader.runJob(
      { kind: 'context', format, byteSize: source.byteSize, bounds: contextBounds },
      source,
    )
    peaks[format] = Math.round((await reader.peakBytes()) / mib)
    reader.kill()
    if (kind !== 'context') fail({ fault: `1 GiB of ${format} was refused` })
  }
  return peaks
}
