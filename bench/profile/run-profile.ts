import { readFile } from 'node:fs/promises'
import { childrenCpuMs } from '../harness/measure/process-cpu.ts'
import { aligned } from '../harness/measure/report.ts'
import { executorMoments } from './executor-moments.ts'
import { phaseTable } from './phases.ts'
import { type ProfiledRun, runMoments } from './run-moments.ts'

/** Describes as text where the time and the processor time of a run go. `once` carries out one run. */
export async function profileRuns(
  service: { dataDir: string; pid: number },
  once: () => Promise<ProfiledRun>,
  count: number,
): Promise<string> {
  const before = await childrenCpuMs(service.pid)
  const runs: ProfiledRun[] = []
  for (let index = 0; index < count; index += 1) runs.push(await once())
  const after = await childrenCpuMs(service.pid)
  return [
    phaseTable('A run, by its row', await runMoments(service.dataDir, runs)),
    phaseTable('Its sandbox, through the host agent alone', await executorMoments(service.dataDir, count)),
    await cpuTable(before, after, count),
    '',
  ].join('\n\n')
}

/** One run after another without a pause, so that idle work is a small part. */
async function cpuTable(
  before: Map<number, number>,
  after: Map<number, number>,
  count: number,
): Promise<string> {
  const lines: string[][] = [['Processor time of a run', 'ms']]
  for (const [pid, ms] of after) {
    const perRun = (ms - (before.get(pid) ?? ms)) / count
    if (perRun === 0) continue
    lines.push([`  ${await nameOf(pid)}`, perRun.toFixed(2)])
  }
  return aligned(lines)
}

async function nameOf(pid: number): Promise<string> {
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
  const [role] = /[a-z]+(?=\.(?:mjs|ts))/.exec(command) ?? []
  if (role === 'agent') return 'agent, with shims, crun and the jobs'
  return role ?? (command.includes('postgres') ? 'postgres' : `process ${pid}`)
}
