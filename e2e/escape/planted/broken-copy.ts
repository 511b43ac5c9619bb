import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Edit } from './holes.ts'

const tree = resolve(import.meta.dirname, '../../..')
const executor = 'server/executor/oci'

/** A copy of the server, whose agent runs with controls that were taken out of its source. */
export class BrokenCopy {
  readonly #folder: string

  private constructor(folder: string) {
    this.#folder = folder
  }

  static async make(): Promise<BrokenCopy> {
    const folder = await mkdtemp(join(tmpdir(), 'escape-planted-'))
    await cp(join(tree, 'server'), join(folder, 'server'), { recursive: true })
    await cp(join(tree, 'package.json'), join(folder, 'package.json'))
    await symlink(join(tree, 'node_modules'), join(folder, 'node_modules'))
    return new BrokenCopy(folder)
  }

  get agentProgram(): string {
    return join(this.#folder, 'server/main/agent.ts')
  }

  /** Runs `work` while `edits` are made. */
  async without<T>(edits: readonly Edit[], work: () => Promise<T>): Promise<T> {
    const files = new Set(edits.map(({ file }) => file))
    try {
      for (const file of files) {
        const own = edits.filter((edit) => edit.file === file)
        await writeFile(join(this.#folder, executor, file), edited(await sourceOf(file), own))
      }
      return await work()
    } finally {
      for (const file of files) await writeFile(join(this.#folder, executor, file), await sourceOf(file))
    }
  }

  async dispose(): Promise<void> {
    await rm(this.#folder, { recursive: true })
  }
}

/** A file of the executor as it is. */
export const sourceOf = (file: string): Promise<string> => readFile(join(tree, executor, file), 'utf8')

/** The text without the controls; throws where one is not there exactly once. */
export function edited(text: string, edits: readonly Edit[]): string {
  return edits.reduce((before, { file, control, instead }) => {
    const [head, tail, ...more] = before.split(control)
    if (tail === undefined || more.length > 0) throw new Error(`${file} does not have once: ${control}`)
    return head + instead + tail
  }, text)
}
