import { parseArgs } from 'node:util'
import { Campaign } from './campaign.ts'

/* Searches all that a host agent keeps for the secrets of many runs. Needs root. */
const { values } = parseArgs({ options: { runs: { type: 'string', default: '100' } } })
const runs = Number(values.runs)
if (!Number.isSafeInteger(runs) || runs < 1) {
  console.error('usage: npm run canaries -- [--runs N]')
  process.exit(2)
}

const atOnce = 4
const toldEvery = 400
const campaign = await Campaign.begin()
let found: string[] = []
try {
  while (campaign.runs < runs && campaign.found.size === 0) {
    await campaign.batch(Math.min(atOnce, runs - campaign.runs))
    if (campaign.runs % toldEvery === 0) console.log(`${campaign.runs} runs, ${campaign.found.size} found`)
  }
} finally {
  found = await campaign.end()
}
for (const place of found) console.log(`FOUND ${place}`)
console.log(JSON.stringify({ suite: 'canaries', cases: campaign.runs, failed: found.length }))
process.exitCode = found.length === 0 ? 0 : 1
