import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Program, programDigest } from './program-copy.ts'
import { exitCodes, ServiceProblem } from './service-problem.ts'

const packProgram = resolve(import.meta.dirname, '../pack.ts')

/**
 * The folder below `packed` that has what the roles load, `NAME.mjs` for each (`pack.ts`). Made by whoever calls, once
 * for each content and place of the program; those of others are removed.
 */
export function packedProgram(program: Program, packed: string): string {
  const digest = programDigest(program.root, program.root)
  const folder = join(packed, digest)
  if (!existsSync(folder)) {
    const fresh = `${folder}.new`
    rmSync(fresh, { recursive: true, force: true })
    pack(program.root, fresh)
    renameSync(fresh, folder)
  }
  for (const name of readdirSync(packed)) {
    if (name !== digest) rmSync(join(packed, name), { recursive: true, force: true })
  }
  return folder
}

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
