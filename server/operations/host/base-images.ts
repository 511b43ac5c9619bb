import { mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type CatalogueEntry, catalogueFile, readCatalogue } from '../../../agent/host/base-catalogue.ts'
import { type DebianSuite, debianRevision, makeDebian } from './debian.ts'
import { languagesIn } from './installed-languages.ts'
import type { PackageProgress } from './package-progress.ts'
import { CommandFailed, runCommand } from './run-command.ts'

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

/** Increment it when base images that were made before must be made again. An image before revision 3 has no UTF-8 locale. */
const imageRevision = debianRevision + 1

export const isCurrent = ({ revision }: Pick<CatalogueEntry, 'revision'>): boolean =>
  revision === imageRevision

/** The base image that an operator asks for. */
export interface BaseImageRecipe {
  /** The name for `FROM`. */
  name: string
  suite: DebianSuite
  packages: string[]
  /** The preset that has these packages. */
  preset?: string
  /** A user with a home, 1000. */
  user?: string
}

/**
 * Makes the image from Debian packages and adds it to the store that builds read. An image with the same name, release, packages,
 * user and revision is kept. Returns whether an image was made.
 */
export async function addBaseImage(
  folders: BuilderFolders,
  { name, packages, suite, preset, user }: BaseImageRecipe,
  onProgress?: (progress: PackageProgress) => void,
): Promise<boolean> {
  if (!baseImageName.test(name)) throw new BaseImageRefused('a base image is named curated/NAME:TAG')
  const wrong = packages.find((item) => !packageName.test(item))
  if (wrong !== undefined || packages.length === 0)
    throw new BaseImageRefused(`not a Debian package: ${wrong ?? ''}`)
  const recipe = { name, suite, packages: [...packages].sort(), ...(user !== undefined && { user }) }
  const present = await readCatalogue(folders.baseImages)
  if (present.some((image) => isMadeBy(image, recipe))) return false
  const content = await importDebian(folders, recipe, onProgress)
  const made_at = new Date().toISOString()
  await addToCatalogue(folders, {
    ...recipe,
    ...content,
    ...(preset !== undefined && { preset }),
    made_at,
    revision: imageRevision,
  })
  return true
}

const isMadeBy = (image: CatalogueEntry, { name, suite, packages, user }: BaseImageRecipe): boolean =>
  image.name === name &&
  image.user === user &&
  (image.suite ?? 'bookworm') === suite &&
  image.packages.join() === packages.join() &&
  isCurrent(image)

async function addToCatalogue({ baseImages }: BuilderFolders, entry: CatalogueEntry): Promise<void> {
  const others = (await readCatalogue(baseImages)).filter((image) => image.name !== entry.name)
  const file = catalogueFile(baseImages)
  await writeFile(`${file}.part`, JSON.stringify([...others, entry], null, 2))
  await rename(`${file}.part`, file)
}

/** Returns what is in the image. */
async function importDebian(
  folders: BuilderFolders,
  { name, ...recipe }: BaseImageRecipe,
  onProgress?: (progress: PackageProgress) => void,
): Promise<Pick<CatalogueEntry, 'languages' | 'byte_size'>> {
  let content = {}
  await importBase(folders, name, async (tar) => {
    await makeDebian(tar, recipe, onProgress)
    content = await contentOf(tar)
  })
  return content
}

async function contentOf(tar: string): Promise<Pick<CatalogueEntry, 'languages' | 'byte_size'>> {
  const status = './var/lib/dpkg/status'
  const folder = dirname(tar)
  await runCommand('tar', ['--extract', '--file', tar, '--directory', folder, status])
  const { size: byte_size } = await stat(tar)
  return { byte_size, languages: languagesIn(await readFile(join(folder, status), 'utf8')) }
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
  buildah config --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin --env LANG=C.UTF-8 --cmd /bin/sh "$container"
  buildah commit -q --rm "$container" "$1"
' import "$name"
`
