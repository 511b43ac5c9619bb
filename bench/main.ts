import { parseArgs } from 'node:util'
import { apiRead } from './api-read.ts'
import { apiWrite } from './api-write.ts'
import { auditVerify } from './audit-verify.ts'
import { boot } from './boot.ts'
import { buildEdit } from './build-edit.ts'
import { buildNoop } from './build-noop.ts'
import { buildSmall } from './build-small.ts'
import { claimLive } from './claim-live.ts'
import { commitNotify } from './commit-notify.ts'
import { context } from './context.ts'
import { density } from './density.ts'
import { depth } from './depth.ts'
import { doorPrint } from './door-print.ts'
import { fairness } from './fairness.ts'
import type { Benchmark } from './harness/measure/benchmark.ts'
import { jsonLines, summaryOf, tableText } from './harness/measure/report.ts'
import type { Row } from './harness/measure/row.ts'
import { history } from './history.ts'
import { launch } from './launch.ts'
import { logLatency } from './log-latency.ts'
import { logRate } from './log-rate.ts'
import { mcpWaits } from './mcp-waits.ts'
import { memory } from './memory.ts'
import { mixed } from './mixed.ts'
import { neighbour } from './neighbour.ts'
import { notice } from './notice.ts'
import { runE2e } from './run-e2e.ts'
import { runRate } from './run-rate.ts'
import { runSecrets } from './run-secrets.ts'
import { runStart } from './run-start.ts'
import { runtimeTier } from './runtime-tier.ts'
import { sandbox } from './sandbox.ts'
import { scrape } from './scrape.ts'
import { sessionRun } from './session-run.ts'
import { submitCost } from './submit-cost.ts'
import { toolCalls } from './tool-call.ts'
import { traceCost } from './trace-cost.ts'
import { triggerEvents } from './trigger-events.ts'

const benchmarks: Benchmark[] = [
  runE2e,
  apiRead,
  apiWrite,
  depth,
  claimLive,
  commitNotify,
  history,
  fairness,
  memory,
  neighbour,
  runtimeTier,
  launch,
  sandbox,
  runStart,
  runRate,
  boot,
  density,
  logRate,
  logLatency,
  mixed,
  buildNoop,
  buildSmall,
  buildEdit,
  context,
  toolCalls,
  mcpWaits,
  doorPrint,
  sessionRun,
  triggerEvents,
  notice,
  auditVerify,
  submitCost,
  runSecrets,
  scrape,
  traceCost,
]

const usage = `npm run bench -- NAME... [--json] [--peers] [--rounds N] [--rows N] [--profile]

${benchmarks.map(({ name, about }) => `  ${name.padEnd(12)} ${about}`).join('\n')}

  --json       one JSON object per row, the last line counts them
  --peers      also compare with what is installed for it
  --rounds N   counted rounds, 100 without it
  --rows N     runs in a long queue, 1000000 without it
  --profile    also tell where the time goes, on standard error

Exits with 1 when a bar is not met, with 2 when the command line is wrong.`

process.exitCode = await main().catch((error: unknown) => {
  process.stderr.write(`bench: ${error instanceof Error ? error.message : error}\n`)
  return 1
})

async function main(): Promise<number> {
  const parsed = readArguments()
  if (typeof parsed === 'string') {
    process.stderr.write(`${parsed}\n\n${usage}\n`)
    return 2
  }
  const { json, chosen, ...options } = parsed
  if (chosen.length === 0) {
    process.stdout.write(`${usage}\n`)
    return 0
  }
  const say = (line: string) => process.stderr.write(`${line}\n`)
  const rows: Row[] = []
  for (const benchmark of chosen) rows.push(...(await benchmark.run({ ...options, say })))
  process.stdout.write(json ? jsonLines(rows) : tableText(rows))
  return summaryOf(rows).failed === 0 ? 0 : 1
}

interface Arguments {
  json: boolean
  peers: boolean
  profile: boolean
  rounds: number
  rows: number
  chosen: Benchmark[]
}

function readArguments(): Arguments | string {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        json: { type: 'boolean', default: false },
        peers: { type: 'boolean', default: false },
        profile: { type: 'boolean', default: false },
        rounds: { type: 'string', default: '100' },
        rows: { type: 'string', default: '1000000' },
      },
    })
    const { rounds: roundsText, rows: rowsText, ...flags } = values
    const rounds = wholeNumber(roundsText, 1, 100_000)
    if (rounds === undefined) return '--rounds is a whole number from 1 to 100000'
    const rows = wholeNumber(rowsText, 1000, 10_000_000)
    if (rows === undefined) return '--rows is a whole number from 1000 to 10000000'
    const unknown = positionals.find((name) => !benchmarks.some((benchmark) => benchmark.name === name))
    if (unknown !== undefined) return `there is no benchmark named ${unknown}`
    return { ...flags, rounds, rows, chosen: benchmarks.filter(({ name }) => positionals.includes(name)) }
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

function wholeNumber(text: string, least: number, most: number): number | undefined {
  const number = Number(text)
  return Number.isInteger(number) && number >= least && number <= most ? number : undefined
}
