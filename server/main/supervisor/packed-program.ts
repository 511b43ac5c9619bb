import { execFileSync } from 'node:child_process'
import { resolve } from 'node:path'
import { onlyFolder } from './only-folder.ts'
import { type Program, programDigest } from './program-copy.ts'
import { exitCodes, ServiceProblem } from './service-problem.ts'

const packProgram = resolve(import.meta.dirname, '../pack.ts')

/**
 * The folder below `packed` that has what the roles load, `NAME.mjs` for each (`pack.ts`). Made by whoever calls, once
 * for each content and place of the program; those of others are removed.
 */
export const packedProgram = ({ root }: Program, packed: string): string =>
  onlyFolder(packed, programDigest(root, root), (fresh) => pack(root, fresh))

/** In a process of its own: what packs is large, and the supervisor stays. */
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
