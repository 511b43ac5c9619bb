import { parseArgs } from 'node:util'
import { Campaign } from './campaign.ts'

/* Searches everything that a host agent stores for the secrets of many runs. Needs root. */
const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '100' },
    round: { type: 'string', default: '40' },
    runtime: { type: 'string', default: 'crun' },
  },
})
const [runs, round] = [Number(values.runs), Number(values.round)]
const { runtime } = values
if (!isCount(runs) || !isCount(round) || (runtime !== 'crun' && runtime !== 'runsc')) {
  console.error('usage: npm run canaries -- [--runs N] [--round N] [--runtime crun|runsc]')
  process.exit(2)
}

const campaign = await Campaign.start(runtime)
let found: string[] = []
try {
  while (campaign.runs < runs && campaign.found.size === 0) {
    await campaign.round(Math.min(round, runs - campaign.runs))
    console.log(`${campaign.runs} runs, ${campaign.found.size} found`)
  }
} finally {
  found = await campaign.end()
}
for (const place of campaign.search.unread) console.log(`UNREAD ${place}`)
for (const place of found) console.log(`FOUND ${place}`)
const unread = campaign.search.unread.size
console.log(
  JSON.stringify({
    suite: 'canaries',
    cases: campaign.runs,
    failed: found.length,
    warm: campaign.warmRuns,
    unread,
  }),
)
process.exitCode = found.length === 0 ? 0 : 1

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value > 0
}
