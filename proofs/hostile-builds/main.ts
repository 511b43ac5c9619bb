import { parseArgs } from 'node:util'
import { BuilderBench } from '../../testing/builds/builder-bench.ts'
import { type HostileArchive, hostileArchives } from './archive-cases.ts'
import { type BuilderReport, buildDockerfiles, unpackArchives } from './builder-alone.ts'
import { hostileDockerfiles } from './dockerfile-cases.ts'
import { gateAlone } from './gate-alone.ts'
import { HostCanaries } from './host-canaries.ts'
import { comparedLayers } from './layer-differential.ts'
import { BuilderParser } from './parsers/builder-parser.ts'
import { comparedGrammars } from './parsers/grammar-differential.ts'
import { comparedParsers } from './parsers/step-differential.ts'
import { registryTests } from './registry/registry-tests.ts'

/*
 * Every hostile archive and Dockerfile against each of the two defences alone: the gate, which has to refuse it, and the
 * build sandbox, which has to contain it; Dockerfiles with a network too. Then mutated Dockerfiles that the gate accepts, which the builder's
 * parser and the builder itself have to read alike, images in both forms in which they are stored, and hostile registries against the sandbox that pulls from them. Needs root and the
 * builder of install/test-builder.sh.
 */
const parts = ['gate', 'archives', 'dockerfiles', 'grammar', 'parsers', 'layers', 'registries'] as const
type Part = (typeof parts)[number]

const { values } = parseArgs({
  options: {
    /** Runs only every Nth archive and Dockerfile, starting with the one at `from`. */
    every: { type: 'string', default: '1' },
    from: { type: 'string', default: '0' },
    seed: { type: 'string', default: '1' },
    /** Mutated Dockerfiles of the part `grammar`. */
    mutations: { type: 'string', default: '1000000' },
    part: { type: 'string', multiple: true, default: [...parts] },
  },
})
const [every, from] = [Number(values.every), Number(values.from)]
const wanted = parts.filter((part) => values.part.includes(part))
if (wanted.length !== new Set(values.part).size || !(from < every)) {
  console.error(
    `usage: npm run hostile-builds -- [--part ${parts.join('|')}] [--every N --from K] [--seed S] [--mutations N]`,
  )
  process.exit(2)
}
const sample = <T>(all: T[]): T[] => all.filter((_, index) => index % every === from)
const archives: HostileArchive[] = sample(hostileArchives())
const dockerfiles = sample(hostileDockerfiles)

const run: Record<Part, () => Promise<BuilderReport>> = {
  gate: async () => ({
    cases: archives.length + dockerfiles.length,
    failures: await gateAlone(archives, dockerfiles),
  }),
  archives: () => atBuilder((bench, canaries) => unpackArchives(bench, canaries, archives)),
  dockerfiles: async () => {
    const alone = await atBuilder((bench, canaries) => buildDockerfiles(bench, canaries, dockerfiles))
    const linked = await atBuilder(
      (bench, canaries) => buildDockerfiles(bench, canaries, dockerfiles),
      () => BuilderBench.startLinked(),
    )
    const failures = [...alone.failures, ...linked.failures.map((failure) => `with a network: ${failure}`)]
    return { cases: alone.cases + linked.cases, failures }
  },
  grammar: async () => {
    const parser = await BuilderParser.start()
    try {
      const count = Math.ceil(Number(values.mutations) / every)
      const { refused, compared, failures } = await comparedGrammars(parser, count, Number(values.seed))
      console.log(
        `mutated Dockerfiles: ${refused} refused by the gate, ${compared} read by the builder's parser`,
      )
      return { cases: refused + compared, failures }
    } finally {
      parser.end()
    }
  },
  parsers: () =>
    atBuilder(async (bench) => {
      const alike = await comparedParsers(bench, Math.ceil(200 / every), Number(values.seed))
      const { refused, compared, refusedByBuilder, failures } = alike
      console.log(
        `mutated Dockerfiles: ${refused} refused by the gate, ${compared} read alike, ${refusedByBuilder} refused by the builder`,
      )
      return { cases: compared + refusedByBuilder, failures }
    }),
  layers: () => comparedLayers(Math.ceil(500 / every), Number(values.seed)),
  registries: registryTests,
}

for (const [name, { length }] of Map.groupBy(archives, (archive) => archive.class)) {
  console.log(`${String(length).padStart(5)}  archives: ${name}`)
}
console.log(`${String(dockerfiles.length).padStart(5)}  Dockerfiles`)

const cases: Partial<Record<Part, number>> = {}
let failed = 0
for (const part of wanted) {
  const startedMs = performance.now()
  const report = await run[part]()
  cases[part] = report.cases
  failed += report.failures.length
  for (const failure of report.failures) console.log(`FAILED ${part}: ${failure}`)
  console.log(`${part}: ${report.cases} cases, ${Math.round((performance.now() - startedMs) / 1000)} s`)
}
console.log(
  JSON.stringify({
    suite: 'hostile-builds',
    cases: Object.values(cases).reduce((sum, count) => sum + count, 0),
    failed,
    archives: archives.length,
    dockerfiles: dockerfiles.length,
    parts: cases,
  }),
)
process.exitCode = failed > 0 ? 1 : 0

async function atBuilder(
  work: (bench: BuilderBench, canaries: HostCanaries) => Promise<BuilderReport>,
  start = () => BuilderBench.start(),
): Promise<BuilderReport> {
  const bench = await start()
  const canaries = await HostCanaries.plant(bench.agent)
  try {
    const report = await work(bench, canaries)
    const reached = bench.innerContacts.map((contact) => `an inner address was reached: ${contact}`)
    return { ...report, failures: [...report.failures, ...reached] }
  } finally {
    canaries.close()
    await bench.dispose()
  }
}
