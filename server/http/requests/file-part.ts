import multipart, { type MultipartFile } from '@fastify/multipart'
import { uploadFilenameMaxLength } from '@sandbox-jobs/contract/limits.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { invalid, ValidationError } from '../../base/errors/validation-error.ts'

/*
 * Multipart bodies that hold exactly one part, the file `file`. Nothing is written to disk here: the file is a stream
 * that its consumer limits. The stream ends without an error only if the body was complete and held nothing else. So
 * a consumer that reads to the end before it stores anything stores nothing of a refused request.
 */

const partName = 'file'

/** Enough to detect a second part, and no more. */
const partLimits = { files: 2, fields: 1, parts: 3, fieldSize: 1024, fieldNameSize: 100, headerPairs: 16 }

const fieldsBeforeMax = 8

/** Routes below `files` accept multipart bodies. No other route has a parser for them. */
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
 * Opens the file of a request. Passes on at most `maxBytes` and one more byte, which shows the consumer that the file
 * is too large. Throws the standard 422 array.
 */
export async function openFilePart(request: FastifyRequest, maxBytes: number): Promise<FilePart> {
  const parts = request.parts({ limits: { ...partLimits, fileSize: maxBytes + 1 } })
  const first = await nextPart(parts)
  if (first === undefined) throw drop(request, invalid(['body', partName], 'missing', 'is required'))
  if (first.type !== 'file' || first.fieldname !== partName) throw drop(request, extraPart())
  return { filename: displayName(first.filename), body: bodyOf(request, first, parts) }
}

/**
 * The same for requests of other platforms, which may send a few fields before the file: these are ignored. Throws the standard
 * 422 array.
 */
export async function openFileAfterFields(request: FastifyRequest, maxBytes: number): Promise<FilePart> {
  const limits = {
    ...partLimits,
    fields: fieldsBeforeMax,
    parts: fieldsBeforeMax + 2,
    fileSize: maxBytes + 1,
  }
  const parts = request.parts({ limits })
  for (;;) {
    const part = await nextPart(parts)
    if (part === undefined) throw drop(request, invalid(['body', partName], 'missing', 'is required'))
    if (part.type === 'file')
      return { filename: displayName(part.filename), body: bodyOf(request, part, parts) }
  }
}

/** A request of another content type is refused before any quota counts it. */
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
    // The rest of the body is read and dropped, so that the response arrives and the connection stays usable.
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

/** Only for display: no control characters, and only the end of a long name. */
const displayName = (name: string | undefined): string =>
  [...(name ?? '').toWellFormed().replaceAll(/\p{Cc}/gu, '')].slice(-uploadFilenameMaxLength).join('')
