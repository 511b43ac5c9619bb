import { parseArgs } from 'node:util'
import { type SandboxRuntime, sandboxRuntimes } from '../../agent/port/sandbox-spec.ts'
import { Campaign } from './campaign.ts'
import { searchService } from './service/service-trial.ts'

/* Searches everything that a host agent and a whole service store for the secrets of many runs. Needs root. */
const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '100' },
    round: { type: 'string', default: '40' },
    runtime: { type: 'string', default: 'crun' },
    part: { type: 'string' },
  },
})
const [runs, round] = [Number(values.runs), Number(values.round)]
const { part } = values
const runtime = sandboxRuntimes.find((known) => known === values.runtime)
const isPart = part === undefined || part === 'agent' || part === 'service'
if (!isCount(runs) || !isCount(round) || !runtime || !isPart) {
  console.error(
    'usage: npm run canaries -- [--runs N] [--round N] [--runtime crun|launcher|runsc] [--part agent|service]',
  )
  process.exit(2)
}

interface Result {
  cases: number
  found: string[]
  unread: ReadonlySet<string>
  warm?: number
}

async function searchAgent(runtime: SandboxRuntime): Promise<Result> {
  const campaign = await Campaign.start(runtime)
  let found: string[] = []
  try {
    while (campaign.runs < runs && campaign.found.size === 0) {
      await campaign.round(Math.min(round, runs - campaign.runs))
      console.log(`agent: ${campaign.runs} runs, ${campaign.found.size} found`)
    }
  } finally {
    found = await campaign.end()
  }
  return { cases: campaign.runs, found, unread: campaign.search.unread, warm: campaign.warmRuns }
}

const results: Result[] = []
if (part !== 'service') results.push(await searchAgent(runtime))
if (part !== 'agent') results.push(await searchService(runs, (line) => console.log(`service: ${line}`)))
const found = results.flatMap((result) => result.found)
const unread = new Set(results.flatMap((result) => [...result.unread]))
for (const place of unread) console.log(`UNREAD ${place}`)
for (const place of found) console.log(`FOUND ${place}`)
console.log(
  JSON.stringify({
    suite: 'canaries',
    cases: results.reduce((sum, { cases }) => sum + cases, 0),
    failed: found.length,
    warm: results.reduce((sum, { warm = 0 }) => sum + warm, 0),
    unread: unread.size,
  }),
)
process.exitCode = found.length === 0 ? 0 : 1

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value > 0
}
