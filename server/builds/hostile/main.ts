import { parseArgs } from 'node:util'
import { type HostileArchive, hostileArchives } from './archive-cases.ts'
import { buildDockerfiles, unpackArchives } from './builder-alone.ts'
import { BuilderBench } from './builder-bench.ts'
import { hostileDockerfiles } from './dockerfile-cases.ts'
import { gateAlone } from './gate-alone.ts'
import { HostCanaries } from './host-canaries.ts'
import { comparedParsers } from './parser-differential.ts'

/*
 * Every hostile archive and Dockerfile against each of the two walls alone: the gate, which has to refuse it, and the
 * build sandbox, where it may do what it can. Then mutated Dockerfiles that the gate accepts, which the builder has to
 * read alike. Needs root and what install/test-builder.sh made.
 */
const { values } = parseArgs({
  options: {
    /** Takes every Nth case only. */
    every: { type: 'string', default: '1' },
    seed: { type: 'string', default: '1' },
  },
})
const every = Number(values.every)
const sample = <T>(all: T[]): T[] => all.filter((_, index) => index % every === 0)

const archives: HostileArchive[] = sample(hostileArchives())
const dockerfiles = sample(hostileDockerfiles)
const failures: string[] = []
let compared = 0
const note = (part: string, found: string[]) => {
  failures.push(...found)
  for (const failure of found) console.log(`FAILED ${part}: ${failure}`)
}

for (const [name, { length }] of Map.groupBy(archives, (archive) => archive.class)) {
  console.log(`${String(length).padStart(5)}  archives: ${name}`)
}
console.log(`${String(dockerfiles.length).padStart(5)}  Dockerfiles`)

note('gate alone', await gateAlone(archives, dockerfiles))
console.log('the gate alone: done')

const bench = await BuilderBench.start()
const canaries = await HostCanaries.plant(bench.agent)
try {
  const unpacked = await unpackArchives(bench, canaries, archives)
  note('builder alone', unpacked.failures)
  console.log(`the builder alone: ${unpacked.cases} archives`)
  const built = await buildDockerfiles(bench, canaries, dockerfiles)
  note('builder alone', built.failures)
  console.log(`the builder alone: ${built.cases} Dockerfiles`)
  const alike = await comparedParsers(bench, Math.ceil(200 / every), Number(values.seed))
  note('gate against builder', alike.failures)
  console.log(
    `mutated Dockerfiles: ${alike.refused} refused by the gate, ${alike.compared} read alike, ${alike.refusedByBuilder} refused by the builder`,
  )
  compared = alike.compared + alike.refusedByBuilder
} finally {
  canaries.close()
  await bench.dispose()
}
console.log(
  JSON.stringify({
    suite: 'hostile-builds',
    cases: archives.length + dockerfiles.length,
    failed: failures.length,
    archives: archives.length,
    dockerfiles: dockerfiles.length,
    walls: ['gate', 'builder'],
    compared_with_builder: compared,
  }),
)
process.exitCode = failures.length > 0 ? 1 : 0
