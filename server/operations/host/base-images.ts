import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { debianRevision, makeDebian } from './debian.ts'
import type { DebianSuite } from './debian-mirrors.ts'
import { CommandFailed, runCommand } from './run-command.ts'

/** A base image that the operator made from Debian packages. Dockerfiles refer to it in `FROM`. */
export interface BaseImage {
  name: string
  packages: string[]
  /** The Debian release. If absent, `bookworm`. */
  suite?: DebianSuite
  made_at: string
  /** Revision of `makeDebian`. If absent, 1. */
  revision?: number
}

/** Folders of the builder and of the store of base images. */
export interface BuilderFolders {
  builderRootfs: string
  baseImages: string
}

export const baseImageName = /^curated\/[a-z0-9][a-z0-9-]{0,62}:[a-z0-9][a-z0-9.-]{0,62}$/
const packageName = /^[a-z0-9][a-z0-9+.-]{0,99}$/

/** The operator's request is invalid. */
export class BaseImageRefused extends Error {
  override name = 'BaseImageRefused'
}

/**
 * Prepares the store so that the builder can use it read-only. Without its lock files every build would fail,
 * including `FROM scratch`.
 */
export async function prepareStore(baseImages: string): Promise<void> {
  for (const kind of ['images', 'layers']) {
    await mkdir(join(baseImages, `overlay-${kind}`), { recursive: true, mode: 0o700 })
    await writeFile(join(baseImages, `overlay-${kind}`, `${kind}.lock`), '', { flag: 'a' })
  }
}

const catalogueOf = (folders: BuilderFolders) => join(folders.baseImages, '..', 'base-images.json')

/** An image from an earlier revision may contain the name of the machine that made it. */
export const isCurrent = ({ revision }: BaseImage): boolean => revision === debianRevision

export async function listBaseImages(folders: BuilderFolders): Promise<BaseImage[]> {
  const text = await readFile(catalogueOf(folders), 'utf8').catch(() => '[]')
  return JSON.parse(text) as BaseImage[]
}

/** What an operator asks for. */
export type BaseImageRecipe = Pick<BaseImage, 'name' | 'packages'> & { suite: DebianSuite }

/**
 * Makes the image from Debian packages and adds it to the store that builds read. An image with the same name, release, packages
 * and revision is kept. Returns whether an image was made.
 */
export async function addBaseImage(
  folders: BuilderFolders,
  { name, packages, suite }: BaseImageRecipe,
): Promise<boolean> {
  if (!baseImageName.test(name)) throw new BaseImageRefused('a base image is named curated/NAME:TAG')
  const wrong = packages.find((item) => !packageName.test(item))
  if (wrong !== undefined || packages.length === 0)
    throw new BaseImageRefused(`not a Debian package: ${wrong ?? ''}`)
  const present = await listBaseImages(folders)
  const sorted = [...packages].sort()
  const isSame = (image: BaseImage) =>
    image.name === name &&
    (image.suite ?? 'bookworm') === suite &&
    image.packages.join() === sorted.join() &&
    isCurrent(image)
  if (present.some(isSame)) return false
  await importDebian(folders, { name, packages: sorted, suite })
  const others = present.filter((image) => image.name !== name)
  const made = { name, packages: sorted, suite, made_at: new Date().toISOString(), revision: debianRevision }
  const catalogue = [...others, made]
  await writeFile(`${catalogueOf(folders)}.part`, JSON.stringify(catalogue, null, 2))
  await rename(`${catalogueOf(folders)}.part`, catalogueOf(folders))
  return true
}

async function importDebian(
  folders: BuilderFolders,
  { name, packages, suite }: BaseImageRecipe,
): Promise<void> {
  await importBase(folders, name, (tar) => makeDebian(tar, suite, packages))
}

/** Adds the tar that `make` writes to the store that builds read; the operator's catalogue does not list it. */
export async function importBase(
  folders: BuilderFolders,
  name: string,
  make: (tar: string) => Promise<void>,
): Promise<void> {
  await prepareStore(folders.baseImages)
  const work = await mkdtemp(join(folders.baseImages, '..', 'import-'))
  try {
    await make(join(work, 'base.tar'))
    await runCommand(
      'unshare',
      ['--mount', 'sh', '-s', folders.builderRootfs, folders.baseImages, work, name],
      {
        input: importScript,
      },
    ).catch((error: unknown) => {
      throw error instanceof CommandFailed ? new Error(`importing ${name}: ${error.message}`) : error
    })
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

/**
 * Writes the image into the store with the builder's buildah, in a mount namespace that ends with the shell. All
 * input comes from the operator: Debian packages, no tenant files.
 */
const importScript = `
set -eu
root=$1 store=$2 work=$3 name=$4
mount --bind "$root" "$root"
mkdir -p "$root/base-images" "$root/mnt"
mount --bind "$store" "$root/base-images"
mount --bind "$work" "$root/mnt"
mount -t proc proc "$root/proc"
for folder in tmp run var/tmp; do mount -t tmpfs tmpfs "$root/$folder"; done
mount --rbind /dev "$root/dev"
chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root sh -eu -c '
  buildah() { command buildah --root /base-images --runroot /run/store --storage-driver overlay "$@"; }
  container=$(buildah from scratch)
  buildah add -q "$container" /mnt/base.tar / >/dev/null
  buildah config --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin --cmd /bin/sh "$container"
  buildah commit -q --rm "$container" "$1"
' import "$name"
`
