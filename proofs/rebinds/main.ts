import { parseArgs } from 'node:util'
import { startResolvingAgent } from '../../testing/agent/internet/resolving-agent.ts'
import { type Rebinds, tryRebinds } from '../../testing/agent/try-rebinds.ts'

/* DNS rebinding: names change to internal addresses while jobs use them, on an isolated network. Needs root. */
const { values } = parseArgs({ options: { count: { type: 'string', default: '10000' } } })
const count = Number(values.count)
if (!Number.isSafeInteger(count) || count < 1) {
  console.error('usage: npm run rebinds -- [--count N]')
  process.exit(2)
}

const on = await startResolvingAgent(['10.9.9.9'])
let rebinds: Rebinds
try {
  rebinds = await tryRebinds(on, await on.agent.image(), count)
} finally {
  await on.dispose()
}
const { made, outside, inside } = rebinds
for (const contact of new Set(inside)) console.log(`INSIDE ${contact}`)
console.log(JSON.stringify({ suite: 'rebinds', cases: made, failed: inside.length, outside }))
// If nothing was reached at all, the test proves nothing.
process.exitCode = inside.length === 0 && outside > 0 ? 0 : 1
