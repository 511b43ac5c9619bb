import { execFileSync } from 'node:child_process'
import { resolve } from 'node:path'
import { onlyFolder } from '../host/only-folder.ts'
import { exitCodes, ServiceProblem } from '../service-problem.ts'
import { type Program, programDigest } from './program-copy.ts'

const packProgram = resolve(import.meta.dirname, '../../pack.ts')

/**
 * The folder below `packed` with the packed roles, `NAME.mjs` for each (`pack.ts`). It is made once per content and
 * location of the program; that of the former program stays.
 */
export const packedProgram = ({ root }: Program, packed: string): string =>
  onlyFolder(packed, programDigest(root, root), (fresh) => pack(root, fresh))

/** Runs in its own process: packing needs much memory, and the supervisor is long-lived. */
function pack(root: string, folder: string): void {
  try {
    execFileSync(process.execPath, [packProgram, root, folder], {
      env: {},
      encoding: 'utf8',
      stdio: ['ignore', 'ignore', 'pipe'],
    })
  } catch (cause) {
    const said = cause instanceof Error && 'stderr' in cause ? String(cause.stderr).trim() : String(cause)
    throw new ServiceProblem(
      exitCodes.toolMissing,
      `the program cannot be packed for its processes: run npm ci without --omit=optional in ${root} (${said.split('\n').at(-1)})`,
      { cause },
    )
  }
}
