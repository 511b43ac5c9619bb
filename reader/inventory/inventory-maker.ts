import {
  type Inventory,
  inventoryBounds,
  type Observation,
  type OperatingSystem,
  type Package,
  type Unread,
} from './inventory.ts'

type FoundPackage = Omit<Package, 'paths'>

// Characters that packagers use. A name with any other is a forgery or a mistake, and in no vulnerability database.
const plainText = /^[\p{L}\p{N}.!+:~_@%^/ -]+$/u

/** Collects the findings of one layer within the bounds, in a deterministic order. */
export class InventoryMaker {
  readonly #packages = new Map<string, Package>()
  readonly #observations = new Map<string, Observation>()
  readonly #unread: Unread[] = []
  /** By path. /etc takes precedence over /usr/lib. */
  readonly #systems = new Map<string, OperatingSystem>()
  #truncated = false
  #packageTextBytes = 0
  files = 0
  bytes = 0

  addPackage(found: FoundPackage, path: string): void {
    const { name, version, source, namespace = '' } = found
    const names = [name, namespace, source?.name ?? ''].filter((text) => text !== '')
    const versions = [version, source?.version ?? ''].filter((text) => text !== '')
    const isSound =
      name !== '' &&
      version !== '' &&
      names.every((text) => text.length <= inventoryBounds.nameLength && plainText.test(text)) &&
      versions.every((text) => text.length <= inventoryBounds.versionLength && plainText.test(text))
    if (!isSound) {
      this.addUnread({ path, reason: 'malformed' })
      return
    }
    const key = keyOf(found)
    const known = this.#packages.get(key)
    if (known) {
      const paths = [...known.paths, path].toSorted(byCode).slice(0, inventoryBounds.pathsPerPackage)
      if (this.#takesText(bytesOf(paths) - bytesOf(known.paths))) known.paths = paths
    } else if (this.#packages.size >= inventoryBounds.packages) {
      this.#truncated = true
    } else if (this.#takesText(bytesOf([...names, ...versions, path]))) {
      this.#packages.set(key, { ...found, paths: [path] })
    }
  }

  /** Counts more text of packages, if the bound has room for it. */
  #takesText(bytes: number): boolean {
    const isWithin = this.#packageTextBytes + bytes <= inventoryBounds.packageTextBytes
    if (isWithin) this.#packageTextBytes += bytes
    else this.#truncated = true
    return isWithin
  }

  addObservation(observation: Observation): void {
    const key = `${observation.rule} ${observation.path}`
    if (this.#observations.size < inventoryBounds.observations) this.#observations.set(key, observation)
    else if (!this.#observations.has(key)) this.#truncated = true
  }

  addUnread(unread: Unread): void {
    const isKnown = this.#unread.some(({ path, reason }) => path === unread.path && reason === unread.reason)
    if (isKnown) return
    if (this.#unread.length < inventoryBounds.unread) this.#unread.push(unread)
    else this.#truncated = true
  }

  addSystem(system: OperatingSystem, path: string): void {
    this.#systems.set(path, system)
  }

  inventory(): Inventory {
    return {
      system: this.#systems.get('etc/os-release') ?? this.#systems.get('usr/lib/os-release'),
      packages: sortedByKey(this.#packages),
      observations: sortedByKey(this.#observations),
      unread: this.#unread.toSorted((a, b) => byCode(`${a.path} ${a.reason}`, `${b.path} ${b.reason}`)),
      truncated: this.#truncated,
      files: this.files,
      bytes: this.bytes,
    }
  }
}

const keyOf = ({ kind, namespace = '', name, version, architecture = '' }: FoundPackage): string =>
  [kind, namespace, name, version, architecture].join('\0')

const bytesOf = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)

const sortedByKey = <T>(map: Map<string, T>): T[] =>
  [...map].toSorted(([a], [b]) => byCode(a, b)).map(([, value]) => value)

/** Independent of the locale. */
const byCode = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
