import { execFile } from 'node:child_process'
import { chmod, cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import type { Edit } from './holes/hole.ts'

const tree = resolve(import.meta.dirname, '../../..')
const agent = 'agent'
const copied = [agent, 'kubernetes', 'reader', 'server', 'package.json']

/** A copy of the program, whose agent runs without controls that were removed from its source. */
export class PatchedCopy {
  readonly #folder: string

  private constructor(folder: string) {
    this.#folder = folder
  }

  static async make(): Promise<PatchedCopy> {
    const folder = await mkdtemp(join(tmpdir(), 'escape-planted-'))
    // The mirror proxy reads it as a user without rights.
    await chmod(folder, 0o755)
    for (const path of copied) await cp(join(tree, path), join(folder, path), { recursive: true })
    await symlink(join(tree, 'node_modules'), join(folder, 'node_modules'))
    return new PatchedCopy(folder)
  }

  get agentProgram(): string {
    return join(this.#folder, 'server/main/agent.ts')
  }

  /** Runs `work` while `edits` are applied. */
  async without<T>(edits: readonly Edit[], work: () => Promise<T>): Promise<T> {
    const files = new Set(edits.map(({ file }) => file))
    try {
      for (const file of files) {
        const own = edits.filter((edit) => edit.file === file)
        await writeFile(join(this.#folder, agent, file), applyEdits(await sourceOf(file), own))
      }
      await promisify(execFile)(process.execPath, [join(this.#folder, 'server/native-programs/build.ts')])
      return await work()
    } finally {
      for (const file of files) await writeFile(join(this.#folder, agent, file), await sourceOf(file))
    }
  }

  async dispose(): Promise<void> {
    await rm(this.#folder, { recursive: true })
  }
}

/** The present text of a file of the agent. */
export const sourceOf = (file: string): Promise<string> => readFile(join(tree, agent, file), 'utf8')

/** The text without the controls; throws unless each occurs exactly once. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  return edits.reduce((before, { file, original, replacement }) => {
    const [head, tail, ...more] = before.split(original)
    if (tail === undefined || more.length > 0) throw new Error(`${file} does not have once: ${original}`)
    return head + replacement + tail
  }, text)
}
