import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { inputOf } from '../../agent/port/start-input.ts'
import { ArchiveRefused } from '../../reader/formats/archive-refused.ts'
import { ByteReader } from '../../reader/formats/byte-reader.ts'
import { readTar } from '../../reader/formats/tar/tar-reader.ts'
import { checkFlatImage, flatImageBounds } from '../../reader/images/flat-image.ts'
import { checkImageLayer } from '../../reader/images/image-layer.ts'
import { newId } from '../../server/base/ids.ts'
import { chainDigest, sha256Of } from '../../server/base/sha256.ts'
import { buildSandbox } from '../../server/builds/builder/build-sandbox.ts'
import { buildCommand, exportTree, prepareBuilder } from '../../server/builds/builder/build-script.ts'
import { exportLayer, mountImage } from '../../server/builds/builder/export-layer.ts'
import { onDefaultRuntime, shellJob, TestAgent, tarOf } from '../agent/test-agent.ts'
import { linkBuilder } from '../agent/test-builder.ts'
import { layerOf } from '../image-layer.ts'
import type { Entries } from './builder-bench.ts'

/** One image as a program sees it, unpacked from its whole tree, and from its layer above the base image. */
export interface Compared {
  flat: string[]
  /** Undefined if the build script wrote no layer. */
  layered: string[] | undefined
  /** Why the service would refuse the image; then there are no lines of it. */
  refused?: string
}

/**
 * Makes the base image `small`, then for each `Dockerfile.N` the whole tree as the builder mounts it, and the layer if there is
 * one. Fails if the script found another tree or configuration than the builder; of the tree's top folder only what is in it counts.
 */
const script = (count: number) => `${prepareBuilder}
${buildCommand} --quiet -t small -f context/Base context >&2 || exit 1
layer_base=$(buildah inspect --type image --format '{{.FromImageID}}' localhost/small)
mkdir cases
container=$(buildah from --pull-never localhost/small)
root=$(buildah mount "$container")
${exportTree} && mv image.tar cases/base.tar
number=0
while [ "$number" -lt ${count} ]; do
  ${buildCommand} --quiet -t sandbox-build -f "context/Dockerfile.$number" context >&2 || { echo "case $number failed"; exit 1; }
  ${mountImage} && [ "$root" = tree ] || { echo "case $number is not mounted"; exit 1; }
  ${exportLayer}
  [ ! -e layered ] || mv image.tar "cases/$number.layer.tar"
  ${exportTree} && mv image.tar found.tar || exit 1
  mv config.json found.json
  mount_by_builder && ${exportTree} && mv image.tar "cases/$number.flat.tar" || exit 1
  cmp found.json config.json && cmp --ignore-initial=512 found.tar "cases/$number.flat.tar" || exit 1
  for mounted in tree merged base; do /.sandbox/busybox umount $mounted 2>/dev/null || true; done
  rmdir tree merged base 2>/dev/null || true
  rm -rf layers white layered layer.* found.*
  buildah rm --all >/dev/null && buildah rmi sandbox-build >/dev/null 2>&1
  number=$((number + 1))
done
tar -C cases -cf image.tar .
`

/** Everything of a tree that programs can see, one line a name. The times of folders and links are not kept by either form. */
const lister = `
B=/.sandbox/busybox
cd /
$B find . -xdev \\( -path ./dev -o -path ./proc -o -path ./sys -o -path ./.sandbox -o -path ./workspace \\) -prune -o -print |
  $B sort | while IFS= read -r path; do
    if [ -L "$path" ]; then echo "$($B stat -c '%n %f %u %g' "$path") $($B readlink "$path")"
    elif [ -d "$path" ]; then $B stat -c '%n %f %u %g' "$path"
    else echo "$($B stat -c '%n %f %u %g %s %Y' "$path") $($B sha256sum <"$path")"
    fi
  done
`

/** Builds Dockerfiles with the real builder on a small base image, and compares both forms of their images on a real host agent. */
export class LayerBench {
  readonly #agent: TestAgent
  readonly #folder: string

  private constructor(agent: TestAgent, folder: string) {
    this.#agent = agent
    this.#folder = folder
  }

  static async start(): Promise<LayerBench> {
    const agent = await TestAgent.start(onDefaultRuntime)
    await linkBuilder(agent)
    return new LayerBench(agent, await mkdtemp(join(tmpdir(), 'layers-')))
  }

  /** `context` has a file `Base`, the Dockerfile of the base image. The others start `FROM localhost/small`. */
  async compare(dockerfiles: readonly string[], context: Entries): Promise<Compared[]> {
    const cases = await this.#build(dockerfiles, context)
    const base = cases.get('./base.tar')
    if (!base) throw new Error('the base image was not made')
    await checkFlatImage(chunksOf(base))
    const lower = sha256Of(base)
    await this.#agent.client.installImage(lower, layerOf(base))
    const compared: Compared[] = []
    for (const number of dockerfiles.keys()) {
      const flat = cases.get(`./${number}.flat.tar`)
      const layer = cases.get(`./${number}.layer.tar`)
      if (!flat) throw new Error(`case ${number} made no image`)
      const refused = await refusalOf(flat, layer)
      if (refused === undefined) {
        compared.push({
          flat: await this.#listed(flat),
          layered: layer && (await this.#listed(layer, lower)),
        })
        // An image in which nothing has changed is the base image, which is still needed.
        const digest = sha256Of(flat)
        if (digest !== lower) await this.#agent.client.removeImage(digest)
      } else {
        compared.push({ flat: [], layered: undefined, refused })
      }
    }
    await this.#agent.client.removeImage(lower).catch(() => undefined)
    return compared
  }

  async #build(dockerfiles: readonly string[], context: Entries): Promise<Map<string, Buffer>> {
    const plain = buildSandbox({ id: newId('run'), profile: 'standard', bases: [], network: 'none' })
    const argv = ['/bin/sh', '-c', script(dockerfiles.length)]
    const files: Entries = dockerfiles.map((content, at) => [{ name: `context/Dockerfile.${at}` }, content])
    const input = await tarOf([
      [{ name: 'context', type: 'directory' }],
      ...context.map(([header, ...rest]): Entries[number] => [
        { ...header, name: `context/${header.name}` },
        ...rest,
      ]),
      ...files,
      [{ name: 'complete', type: 'directory' }],
    ])
    await this.#agent.client.start({ ...plain, argv }, inputOf(input))
    const exit = await this.#agent.client.wait(plain.id)
    if (exit.exitCode !== 0) throw new Error(await text(await this.#agent.client.log(plain.id)))
    const path = join(this.#folder, 'cases.tar')
    await pipeline(await this.#agent.client.file(plain.id, 'image'), createWriteStream(path))
    await this.#agent.client.remove(plain.id)
    const cases = new Map<string, Buffer>()
    for await (const entry of readTar(new ByteReader(createReadStream(path)))) {
      cases.set(
        entry.name.toString(),
        await Readable.from(entry.body)
          .toArray()
          .then((parts) => Buffer.concat(parts)),
      )
    }
    return cases
  }

  /** Installs an image, and lists it from inside. */
  async #listed(tar: Buffer, lower?: string): Promise<string[]> {
    const digest = chainDigest(lower, sha256Of(tar))
    await this.#agent.client.installImage(digest, layerOf(tar), lower)
    const job = shellJob(digest, lister, { logBytes: 16 * 1024 ** 2, timeoutMs: 60_000 })
    const { log, exit } = await this.#agent.run(job)
    if (exit.exitCode !== 0) throw new Error(log)
    await this.#agent.client.remove(job.id)
    return log.split('\n')
  }

  async dispose(): Promise<void> {
    await this.#agent.dispose()
    await rm(this.#folder, { recursive: true })
  }
}

/** Why an honest builder's image is refused in one of its forms; undefined if it is not. */
async function refusalOf(flat: Buffer, layer: Buffer | undefined): Promise<string | undefined> {
  try {
    await checkFlatImage(chunksOf(flat))
    if (layer) await checkImageLayer(chunksOf(layer), flatImageBounds)
  } catch (error) {
    if (error instanceof ArchiveRefused) return `${error.slug}, entry ${error.entry}`
    throw error
  }
}

async function* chunksOf(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}

export const busyboxEntry = async (): Promise<Entries[number]> => [
  { name: 'busybox', mode: 0o755 },
  await readFile('/bin/busybox'),
]
