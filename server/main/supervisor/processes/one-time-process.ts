import { spawn } from 'node:child_process'
import { eachLine } from '../../../base/each-line.ts'
import { type Account, asAccount } from '../../../postgres/account.ts'
import { exitCodes, knownExitCode, ServiceProblem } from '../service-problem.ts'

/** A process that does something once while the service starts. */
export interface OneTimeProcess {
  argv: string[]
  /** The account to run as. */
  account: Account | undefined
  env: NodeJS.ProcessEnv
  onLine: (line: string) => void
}

/** Runs the process to its end. Throws a `ServiceProblem` with the text `problem` if it fails, but not if it was aborted. */
export async function runOnce(
  { argv, account, env, onLine }: OneTimeProcess,
  problem: string,
  signal: AbortSignal,
): Promise<void> {
  const [command = '', ...args] = asAccount(account, argv, 'TERM')
  const child = spawn(command, args, { cwd: '/', env, stdio: ['ignore', 'pipe', 'pipe'], signal })
  for (const stream of [child.stdout, child.stderr]) eachLine(stream, onLine)
  const code = await new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(null))
    child.once('close', resolve)
  })
  if (code === 0 || signal.aborted) return
  throw new ServiceProblem(knownExitCode(code) ?? exitCodes.failed, `${problem} (its own words are above)`)
}
