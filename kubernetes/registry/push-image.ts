import { Readable } from 'node:stream'
import { sha256Of } from '../../server/base/sha256.ts'
import { type RegistryAnswer, RegistryFailed, type RegistrySession } from './registry-session.ts'

export interface StoredBlob {
  digest: string
  byteSize: number
  /** Called again if the registry asks for a token first. */
  open(): Promise<Readable> | Readable
}

export interface PushedImage {
  manifest: { mediaType: string; digest: string; bytes: Buffer }
  /** Configuration and layers. */
  blobs: readonly StoredBlob[]
  /** Registries remove manifests without a tag. */
  tag: string
}

/**
 * Puts an image into a repository, as its bytes are, and reads it back: afterwards the registry has the manifest by its digest and
 * every blob with its size. May be repeated at any point; blobs that are there are not sent again.
 */
export async function pushImage(
  session: RegistrySession,
  { manifest, blobs, tag }: PushedImage,
): Promise<void> {
  for (const blob of blobs) if ((await sizeOf(session, blob)) !== blob.byteSize) await upload(session, blob)
  const put = await session.ask({
    method: 'PUT',
    url: new URL(`manifests/${tag}`, session.base),
    headers: { 'content-type': manifest.mediaType },
    body: { byteSize: manifest.bytes.length, open: () => Readable.from([manifest.bytes]) },
  })
  if (put.status !== 201) throw refused('the manifest', put)
  await readBack(session, { manifest, blobs })
}

async function upload(session: RegistrySession, blob: StoredBlob): Promise<void> {
  const opened = await session.ask({ method: 'POST', url: new URL('blobs/uploads/', session.base) })
  const { location } = opened.headers
  if (opened.status !== 202 || location === undefined) throw refused('an upload', opened)
  const url = URL.parse(location, session.base.href)
  // The bytes are a company's.
  if (url?.origin !== session.base.origin)
    throw new RegistryFailed('the registry wants the bytes at another address')
  url.searchParams.set('digest', blob.digest)
  const headers = { 'content-type': 'application/octet-stream' }
  const done = await session.ask({ method: 'PUT', url, headers, body: blob })
  if (done.status !== 201) throw refused('a blob', done)
}

/** Whether the registry has what it confirmed. */
async function readBack(
  session: RegistrySession,
  { manifest, blobs }: Pick<PushedImage, 'manifest' | 'blobs'>,
): Promise<void> {
  const url = new URL(`manifests/${manifest.digest}`, session.base)
  const read = await session.ask({ method: 'GET', url, headers: { accept: manifest.mediaType } })
  if (read.status !== 200 || sha256Of(read.body) !== manifest.digest)
    throw new RegistryFailed('the registry does not have the manifest that it took', { status: read.status })
  for (const blob of blobs)
    if ((await sizeOf(session, blob)) !== blob.byteSize)
      throw new RegistryFailed('the registry does not have a blob that it took')
}

/** Undefined if the registry does not have it. Some registries send the reader to where they keep it. */
async function sizeOf(session: RegistrySession, { digest }: StoredBlob): Promise<number | undefined> {
  const url = new URL(`blobs/${digest}`, session.base)
  let answer = await session.ask({ method: 'HEAD', url })
  const moved = [302, 303, 307].includes(answer.status) && URL.parse(answer.headers.location ?? '', url.href)
  if (moved) answer = await session.ask({ method: 'HEAD', url: moved })
  if (answer.status === 404) return undefined
  if (answer.status !== 200) throw refused('a question for a blob', answer)
  return Number(answer.headers['content-length'])
}

const refused = (what: string, { status }: RegistryAnswer) =>
  new RegistryFailed(`the registry answers ${what} with ${status}`, { status })
