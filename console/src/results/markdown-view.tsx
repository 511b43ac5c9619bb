import type { Token } from 'marked'
import { type ReactNode, useEffect, useState } from 'react'
import { startWorker } from '../parts/own-worker.ts'
import type { MarkdownText } from './markdown.worker.ts'
import workerUrl from './markdown.worker.ts?worker&url'
import { MarkdownBlocks } from './markdown-blocks.tsx'

const readMs = 2000

interface Props extends Partial<MarkdownText> {
  text: string
  fallback: ReactNode
}

/** Text in Markdown; what takes too long to read stays text. */
export default function MarkdownView({ text, keepsLines = false, fallback }: Props) {
  const [tokens, setTokens] = useState<Token[]>()
  useEffect(() => {
    const worker = startWorker(workerUrl)
    const late = setTimeout(() => worker.terminate(), readMs)
    worker.onmessage = ({ data }: MessageEvent<Token[]>) => {
      clearTimeout(late)
      setTokens(data)
      worker.terminate()
    }
    worker.postMessage({ text, keepsLines } satisfies MarkdownText)
    return () => {
      clearTimeout(late)
      worker.terminate()
    }
  }, [text, keepsLines])
  return tokens === undefined ? fallback : <MarkdownBlocks tokens={tokens} />
}
