import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, renameSync } from 'node:fs'
import { access, chown, mkdir, readdir, rename, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { defaultFloorBytes } from '../../server/base/disk-floor.ts'
import { newId } from '../../server/base/ids.ts'
import { chainDigest } from '../../server/base/sha256.ts'
import { syncPath } from '../core/records/exit-record.ts'
import { logOf } from '../core/records/outputs.ts'
import { internalPrefix, type Sandboxes } from '../core/sandboxes/sandboxes.ts'
import { storageIdBase } from '../host/id-ranges.ts'
import type { AgentPaths } from '../host/paths.ts'
import { ExecutorRefused } from '../port/errors.ts'
import type { SandboxSpec } from '../port/sandbox-spec.ts'
import { imageFolder, lowerOf, requireLower, treeOf, writeLower } from './image-folders.ts'
import { LowerImages } from './lower-images.ts'

const run = promisify(execFile)
const GiB = 1024 ** 3
/** Maximum size of an image tar, independent of what the sender checked. */
const maxTarBytes = 10 * GiB
const checkEveryBytes = 64 * 1024 ** 2

interface Installing {
  lower: string | undefined
  done: Promise<void>
}

/**
 * Images on disk, one folder per digest (`image-folders.ts`); a folder with its final name is complete. A tar is hostile: it is
 * unpacked inside a sandbox that sees only the platform layer and the new folder, under ids that own nothing else on the host.
 */
export class Images {
  readonly #paths: AgentPaths
  readonly #sandboxes: Sandboxes
  readonly #floorBytes: number | undefined
  readonly #installing = new Map<string, Installing>()
  readonly #lowers = new LowerImages()

  /** `floorBytes` of the disk, which the database may share, stay free; absent: computed from its size. */
  constructor(paths: AgentPaths, sandboxes: Sandboxes, floorBytes?: number) {
    this.#floorBytes = floorBytes
    this.#paths = paths
    this.#sandboxes = sandboxes
  }

  /** Removes residue of interrupted installations and removals. Call once, before the first installation. */
  async recover(): Promise<void> {
    await mkdir(this.#paths.images, { recursive: true, mode: 0o700 })
    await this.#sandboxes.removeInternal()
    for (const name of await readdir(this.#paths.images)) {
      if (name.startsWith('.')) await removeTree(join(this.#paths.images, name))
    }
    await this.#lowers.recover(this.#paths)
  }

  has(digest: string): Promise<boolean> {
    return access(treeOf(this.#paths, digest)).then(
      () => true,
      () => false,
    )
  }

  /**
   * Unpacks `tar` as `digest`, above the image `lower` if one is given; the bytes are hashed and must agree. A second caller
   * waits for the first.
   */
  async install(digest: string, tar: AsyncIterable<Buffer>, lower?: string): Promise<void> {
    const other = this.#installing.get(digest)
    if (other) {
      await Promise.all([other.done, drain(tar)])
      return
    }
    // No other code runs between these checks and the entry that protects the lower image from removal.
    if (existsSync(treeOf(this.#paths, digest))) return drain(tar)
    if (lower !== undefined) requireLower(this.#paths, lower)
    const done = this.#unpack(digest, tar, lower)
    this.#installing.set(digest, { lower, done })
    try {
      await done
    } finally {
      this.#installing.delete(digest)
    }
  }

  async remove(digest: string): Promise<void> {
    if (this.#isUsed(digest)) throw inUse(digest)
    if (!(await this.has(digest))) return
    await this.#sandboxes.release(digest)
    // A start may have come meanwhile. No other code runs between this check and the rename: later starts find no image.
    if (this.#isUsed(digest) || this.#sandboxes.keepsWarm(digest)) throw inUse(digest)
    const lower = lowerOf(this.#paths, digest)
    const removedPath = join(this.#paths.images, `.removed-${newId('ownedObject')}`)
    renameSync(imageFolder(this.#paths, digest), removedPath)
    if (lower !== undefined) this.#lowers.remove(lower)
    await removeTree(removedPath)
    if (lower !== undefined) await this.#removeUnused(lower)
  }

  /** Nobody removes a lower image by itself, so it goes with the last one above it. Where it is needed again, it is installed again. */
  async #removeUnused(digest: string): Promise<void> {
    await this.remove(digest).catch((error: unknown) => {
      if (!(error instanceof ExecutorRefused && error.slug === 'image_in_use')) throw error
    })
  }

  /** Whether a sandbox uses the image, or another image lies above it. */
  #isUsed(digest: string): boolean {
    return (
      this.#sandboxes.uses(digest) ||
      [...this.#installing.values()].some(({ lower }) => lower === digest) ||
      this.#lowers.has(digest)
    )
  }

  async #unpack(digest: string, tar: AsyncIterable<Buffer>, lower: string | undefined): Promise<void> {
    const id = newId('ownedObject').replace('obj_', internalPrefix)
    const fresh = join(this.#paths.images, `.new-${id}`)
    const tree = join(fresh, 'tree')
    await mkdir(tree, { recursive: true, mode: 0o755 })
    await chown(tree, storageIdBase, storageIdBase)
    try {
      const found = chainDigest(
        lower,
        await this.#unpackInto(tree, tar, { id, isLayer: lower !== undefined }),
      )
      if (found !== digest) {
        throw new ExecutorRefused('digest_mismatch', `the image's bytes are ${found}, not ${digest}`)
      }
      if (lower !== undefined) await writeLower(fresh, lower)
      // Renamed only after its bytes are on disk.
      await run('sync', ['--file-system', tree])
      await rename(fresh, imageFolder(this.#paths, digest))
      if (lower !== undefined) this.#lowers.add(lower)
      await syncPath(this.#paths.images)
    } catch (error) {
      await removeTree(fresh)
      throw error
    }
  }

  /** Counts the bytes of one tar. `take` throws when a limit is exceeded and keeps the error as `refusal`. */
  #limits() {
    const folder = this.#paths.images
    const floorBytes = this.#floorBytes
    let bytes = 0
    let nextCheck = 0
    const limits = {
      refusal: undefined as ExecutorRefused | undefined,
      async take(count: number) {
        bytes += count
        if (bytes > maxTarBytes) {
          limits.refusal = new ExecutorRefused(
            'image_invalid',
            `the image is longer than ${maxTarBytes} bytes`,
          )
        } else if (bytes > nextCheck) {
          nextCheck = bytes + checkEveryBytes
          const { bavail, blocks, bsize } = await statfs(folder)
          if (bavail * bsize < (floorBytes ?? defaultFloorBytes(blocks * bsize))) {
            limits.refusal = new ExecutorRefused('disk_full', `${folder} has no room for another image`)
          }
        }
        if (limits.refusal) throw limits.refusal
      },
    }
    return limits
  }

  /** Returns the digest of the bytes that were unpacked. */
  async #unpackInto(
    tree: string,
    tar: AsyncIterable<Buffer>,
    { id, isLayer }: { id: string; isLayer: boolean },
  ): Promise<string> {
    const hash = createHash('sha256')
    const done = Promise.withResolvers<void>()
    const limits = this.#limits()
    async function* hashed() {
      for await (const chunk of tar) {
        await limits.take(chunk.length)
        hash.update(chunk)
        yield chunk
      }
      done.resolve()
    }
    const internal = { confinement: 'unpack' as const, idBase: storageIdBase, workspaceFolder: tree }
    await this.#sandboxes.start(unpackSpec(id, isLayer), { stdin: hashed() }, internal)
    const exit = await this.#sandboxes.wait(id)
    const output = logOf(this.#sandboxes.find(id))
    const log = Buffer.isBuffer(output) ? output.toString('utf8') : await textOf(output)
    await this.#sandboxes.remove(id)
    if (limits.refusal) throw limits.refusal
    if (exit.cause !== 'exited' || exit.exitCode !== 0) {
      throw new ExecutorRefused(
        exit.exitCode === 2 || exit.exitCode === 3 ? 'image_invalid' : 'image_unpack',
        `the image cannot be unpacked: ${exit.cause} ${exit.exitCode ?? exit.detail} ${log.slice(0, 300).trim()}`,
      )
    }
    await done.promise
    return `sha256:${hash.digest('hex')}`
  }
}

const inUse = (digest: string) =>
  new ExecutorRefused('image_in_use', `a running sandbox or another image uses the image ${digest}`)

function unpackSpec(id: string, isLayer: boolean): SandboxSpec {
  return {
    id,
    rootfs: { kind: 'image', digest: `sha256:${'0'.repeat(64)}` },
    argv: ['/.sandbox/unpack', ...(isLayer ? ['layer'] : [])],
    env: {},
    user: { uid: 0, gid: 0 },
    hostname: 'unpack',
    runtime: 'crun',
    confinement: 'job',
    network: 'none',
    limits: {
      timeoutMs: 15 * 60_000,
      memoryBytes: GiB,
      workspaceBytes: 1024 * 1024,
      workspaceKind: 'memory',
      workspaceInodes: 256,
      vcpu: 2,
      pids: 4,
      openFiles: 256,
      logBytes: 8192,
    },
    collect: { files: [] },
  }
}

/**
 * Removal never follows a symlink, and no live process can change the tree. Paths in a tree may be longer than the kernel
 * accepts in one call; `rm` descends folder by folder.
 */
async function removeTree(path: string): Promise<void> {
  await run('rm', ['--recursive', '--force', '--one-file-system', '--', path])
}

async function drain(source: AsyncIterable<Buffer>): Promise<void> {
  for await (const _ of source);
}

async function textOf(source: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of source) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}
