import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { groupFiles, procFiles, type VisibleMachine } from '../../bundle/procfs-overlay.ts'

/**
 * Folders with the procfs overlay files (`proc`) and those of a control group (`cgroup`), which show a program the size of its
 * sandbox instead of the host. One folder per size.
 */
export class ProcfsOverlayFolders {
  readonly #parent: string
  readonly #made = new Map<string, Promise<string>>()

  constructor(parent: string) {
    this.#parent = parent
  }

  /** Each agent makes the folders again: the host's processor may have changed. */
  static async at(parent: string): Promise<ProcfsOverlayFolders> {
    await mkdir(parent, { recursive: true, mode: 0o711 })
    return new ProcfsOverlayFolders(parent)
  }

  folder(machine: VisibleMachine): Promise<string> {
    const name = `${machine.cpus}-${machine.memoryBytes}`
    const known = this.#made.get(name)
    if (known) return known
    const made = this.#make(join(this.#parent, name), machine)
    this.#made.set(name, made)
    // After a failure the next start tries again.
    made.catch(() => this.#made.delete(name))
    return made
  }

  async #make(folder: string, machine: VisibleMachine): Promise<string> {
    const fresh = await mkdtemp(`${folder}.new-`)
    const parts = {
      proc: procFiles(machine, await readFile('/proc/cpuinfo', 'utf8')),
      cgroup: groupFiles(machine),
    }
    for (const [part, files] of Object.entries(parts)) {
      await mkdir(join(fresh, part), { mode: 0o711 })
      for (const [name, text] of Object.entries(files))
        await writeFile(join(fresh, part, name), text, { mode: 0o444 })
    }
    // Sandboxes of an earlier agent keep the files that they have mounted.
    await rm(folder, { recursive: true, force: true })
    await rename(fresh, folder)
    return folder
  }
}
