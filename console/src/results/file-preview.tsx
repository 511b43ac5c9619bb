import { plainText } from '@sandbox-jobs/contract/plain-text.ts'
import { type ReactNode, useCallback, useEffect, useEffectEvent, useMemo, useState } from 'react'
import { LogView } from '../log/log-view.tsx'
import { Button } from '../parts/button.tsx'
import { ErrorBox } from '../parts/error-box.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { CsvView } from './csv-view.tsx'
import { type FileKind, headBytes, kindOf } from './file-kind.ts'
import { JsonTree } from './json-tree.tsx'
import styles from './results.module.css'
import { TextView } from './text-view.tsx'

/** Reads a file, or its bytes from the first to the last of a range. */
export type ReadFile = (
  range: { first: number; last: number } | undefined,
  signal: AbortSignal,
) => Promise<Response>

interface FilePreviewProps {
  name: string
  bytes: number
  read: ReadFile
  /** A link or button that downloads the file. */
  download: ReactNode
}

const [shownMax, imageAskedFrom, jsonMax, markdownMax] = [
  64 * 1024 ** 2,
  10 * 1024 ** 2,
  16 * 1024 ** 2,
  256 * 1024,
]

/**
 * A file of a tenant as its bytes say: pictures, sound, tables, text. Everything else, and what is too large, is only downloaded.
 * The bytes never become a page of our origin. Give it a `key` that changes with the file.
 *
 *     <FilePreview key={artifact.id} name={artifact.path} bytes={artifact.size} read={(range, signal) => api.readArtifact(…)}
 *       download={<a download href={address}>{t.download}</a>} />
 */
export function FilePreview(props: FilePreviewProps) {
  const { name, bytes, read, download } = props
  const t = useTexts().results
  const formats = useFormats()
  const [kind, setKind] = useState<FileKind>()
  const [failure, setFailure] = useState<unknown>()
  const [tries, setTries] = useState(0)
  const [isWanted, setIsWanted] = useState(false)
  const isTooLarge = bytes > shownMax
  const readHead = useEffectEvent((signal: AbortSignal) => {
    if (isTooLarge) return
    const range = bytes > headBytes ? { first: 0, last: headBytes - 1 } : undefined
    bytesOf(read(range, signal))
      .then((head) => setKind(kindOf(name, new Uint8Array(head))))
      .catch((error: unknown) => signal.aborted || setFailure(error))
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is read again when the person asks
  useEffect(() => whileShown((signal) => readHead(signal)), [tries])

  function retry() {
    setFailure(undefined)
    setTries(tries + 1)
  }

  if (failure !== undefined) return <ErrorBox error={failure} onRetry={retry} />
  const isAsked = kind?.kind === 'image' && bytes > imageAskedFrom && !isWanted
  return (
    <section className={styles.section} aria-label={plainText(name)}>
      <div className={styles.bar}>
        <bdi className={styles.name}>{plainText(name)}</bdi>
        <span className={styles.soft}>{formats.bytes(bytes)}</span>
        <span className={styles.end}>{download}</span>
      </div>
      {isTooLarge && <p className={styles.soft}>{t.tooLarge(formats.bytes(shownMax))}</p>}
      {!isTooLarge && kind === undefined && <p className={styles.soft}>{t.reading}</p>}
      {isAsked && <Button onPress={() => setIsWanted(true)}>{t.showImage(formats.bytes(bytes))}</Button>}
      {kind && !isAsked && <Content {...props} kind={kind} />}
    </section>
  )
}

function Content({ kind, ...file }: FilePreviewProps & { kind: FileKind }) {
  const t = useTexts().results
  const { name, bytes } = file
  const isText =
    kind.kind === 'text' ||
    (kind.kind === 'json' && bytes > jsonMax) ||
    (kind.kind === 'markdown' && bytes > markdownMax)
  if (kind.kind === 'other') return <p className={styles.soft}>{t.noPreview}</p>
  if (isText) {
    return (
      <div className={styles.log}>
        <LogView
          label={plainText(name)}
          source={{ kind: 'stored', read: (_range, signal) => file.read(undefined, signal) }}
        />
      </div>
    )
  }
  return <Whole file={file} kind={kind} />
}

/** A file that is shown from all of its bytes at once. */
function Whole({ file: { name, read }, kind }: { file: FilePreviewProps; kind: FileKind }) {
  const t = useTexts().results
  const [content, setContent] = useState<ArrayBuffer>()
  const [failure, setFailure] = useState<unknown>()
  const readAll = useEffectEvent((signal: AbortSignal) => {
    bytesOf(read(undefined, signal))
      .then(setContent)
      .catch((error: unknown) => signal.aborted || setFailure(error))
  })
  useEffect(() => whileShown((signal) => readAll(signal)), [])
  if (failure !== undefined) return <ErrorBox error={failure} />
  if (content === undefined) return <p className={styles.soft}>{t.reading}</p>
  const label = plainText(name)
  switch (kind.kind) {
    case 'image':
    case 'audio':
    case 'video':
      return <Media kind={kind.kind} type={kind.type} bytes={content} label={label} />
    case 'csv':
      return <CsvView bytes={content} label={label} />
    case 'json':
      return <ParsedFile bytes={content} label={label} />
    case 'markdown':
      return <TextView text={new TextDecoder().decode(content)} startsAsMarkdown />
    case 'text':
    case 'other':
      return null
  }
}

function ParsedFile({ bytes, label }: { bytes: ArrayBuffer; label: string }) {
  const text = useMemo(() => new TextDecoder().decode(bytes), [bytes])
  const parsed = useMemo(() => parsedText(text), [text])
  return parsed === undefined ? <TextView text={text} /> : <JsonTree value={parsed.value} label={label} />
}

function parsedText(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

interface MediaProps {
  kind: 'image' | 'audio' | 'video'
  type: string
  bytes: ArrayBuffer
  label: string
}

/** The address is of the bytes in this page, and ends with the element. */
function Media({ kind, type, bytes, label }: MediaProps) {
  const attach = useCallback(
    (element: HTMLImageElement | HTMLMediaElement | null) => {
      if (element === null) return undefined
      const address = URL.createObjectURL(new Blob([bytes], { type }))
      element.src = address
      return () => URL.revokeObjectURL(address)
    },
    [bytes, type],
  )
  if (kind === 'image')
    return <img ref={attach} className={styles.image} alt={label} referrerPolicy="no-referrer" />
  // biome-ignore lint/a11y/useMediaCaption: a tenant's file has none
  if (kind === 'audio') return <audio ref={attach} controls aria-label={label} />
  // biome-ignore lint/a11y/useMediaCaption: a tenant's file has none
  return <video ref={attach} className={styles.image} controls aria-label={label} />
}

/** Gives up what is read when the component leaves. */
function whileShown(read: (signal: AbortSignal) => void): () => void {
  const left = new AbortController()
  read(left.signal)
  return () => left.abort()
}

async function bytesOf(answer: Promise<Response>): Promise<ArrayBuffer> {
  const response = await answer
  if (!response.ok) throw new Error(`a file was answered with ${response.status}`)
  return await response.arrayBuffer()
}
