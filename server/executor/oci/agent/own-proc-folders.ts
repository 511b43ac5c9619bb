import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type OwnMachine, procFiles } from '../own-proc.ts'

/** Folders of the files that show a program its own machine instead of the host's, made once for each size. */
export class OwnProcFolders {
  readonly #parent: string
  readonly #made = new Map<string, Promise<string>>()

  constructor(parent: string) {
    this.#parent = parent
  }

  /** Every agent makes them again: the host's processor may be another by now. */
  static async at(parent: string): Promise<OwnProcFolders> {
    await mkdir(parent, { recursive: true, mode: 0o711 })
    return new OwnProcFolders(parent)
  }

  folder(machine: OwnMachine): Promise<string> {
    const name = `${machine.cpus}-${machine.memoryBytes}`
    const known = this.#made.get(name)
    if (known) return known
    const made = this.#make(join(this.#parent, name), machine)
    this.#made.set(name, made)
    // The next start tries again.
    made.catch(() => this.#made.delete(name))
    return made
  }

  async #make(folder: string, machine: OwnMachine): Promise<string> {
    const fresh = await mkdtemp(`${folder}.new-`)
    const files = procFiles(machine, await readFile('/proc/cpuinfo', 'utf8'))
    for (const [name, text] of Object.entries(files)) {
      await writeFile(join(fresh, name), text, { mode: 0o444 })
    }
    // Sandboxes of an earlier agent keep what they have mounted.
    await rm(folder, { recursive: true, force: true })
    await rename(fresh, folder)
    return folder
  }
}
