import multipart, { type MultipartFile } from '@fastify/multipart'
import { uploadFilenameMaxLength } from '@sandbox-jobs/contract/limits.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { invalid, ValidationError } from '../base/validation-error.ts'

/*
 * Multipart bodies that hold one part, the file `file`. Nothing is written anywhere here: the file is a stream that its
 * reader bounds, and it ends without an error only when the body ended well and held nothing else. So whoever reads
 * it to its end before keeping anything keeps nothing of a refused request.
 */

const partName = 'file'

/** Enough to see that there is more than one part, and no more of it. */
const partLimits = { files: 2, fields: 1, parts: 3, fieldSize: 1024, fieldNameSize: 100, headerPairs: 16 }

/** Routes below `files` take multipart bodies; on no other route is there a reader for them. */
export function withFiles(app: FastifyInstance, mountRoutes: (files: FastifyInstance) => void): void {
  app.register(async (files) => {
    await files.register(multipart, { throwFileSizeLimit: false })
    mountRoutes(files)
  })
}

export interface FilePart {
  filename: string
  body: AsyncIterable<Buffer>
}

type Parts = ReturnType<FastifyRequest['parts']>

/**
 * Opens the file of a request, of which at most `maxBytes` and one more are passed on: that one tells the reader that it
 * is too large. Throws the standard 422 array.
 */
export async function openFilePart(request: FastifyRequest, maxBytes: number): Promise<FilePart> {
  const parts = request.parts({ limits: { ...partLimits, fileSize: maxBytes + 1 } })
  const first = await nextPart(parts)
  if (first === undefined) throw drop(request, invalid(['body', partName], 'missing', 'is required'))
  if (first.type !== 'file' || first.fieldname !== partName) throw drop(request, extraPart())
  return { filename: displayName(first.filename), body: bodyOf(request, first, parts) }
}

/** A request of another kind is refused before anything is counted for it. */
export function requireMultipart(request: FastifyRequest): void {
  if (!request.isMultipart()) {
    throw invalid(['header', 'content-type'], 'content_type', 'must be multipart/form-data')
  }
}

async function* bodyOf(
  request: FastifyRequest,
  part: MultipartFile,
  parts: Parts,
): AsyncGenerator<Buffer, void> {
  try {
    for await (const bytes of part.file) yield bytes as Buffer
    if (part.file.truncated) return
    if ((await nextPart(parts)) !== undefined) throw extraPart()
  } catch (error) {
    throw error instanceof ValidationError ? error : malformed()
  } finally {
    // What its sender goes on sending is read and dropped, so that the answer arrives and the connection stays usable.
    request.raw.unpipe()
    request.raw.resume()
  }
}

async function nextPart(parts: Parts) {
  try {
    const next = await parts.next()
    return next.done ? undefined : next.value
  } catch {
    throw malformed()
  }
}

function drop(request: FastifyRequest, error: ValidationError): ValidationError {
  request.raw.unpipe()
  request.raw.resume()
  return error
}

const malformed = () => invalid(['body'], 'malformed', 'is not one whole multipart body with one file')
const extraPart = () => invalid(['body'], 'extra_forbidden', `may hold nothing but the file ${partName}`)

/** Shown to people only: no control characters, the end of a long name. */
const displayName = (name: string | undefined): string =>
  [...(name ?? '').toWellFormed().replaceAll(/\p{Cc}/gu, '')].slice(-uploadFilenameMaxLength).join('')
