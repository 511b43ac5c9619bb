import { plainText } from '@sandbox-jobs/contract/plain-text.ts'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { ErrorBox } from './error-box.tsx'
import { FileDrop } from './file-drop.tsx'

interface Sent {
  file: File
  onProgress: (share: number) => void
  signal: AbortSignal
}

interface Props {
  label: string
  send: (sent: Sent) => Promise<unknown>
  /** Each time a file has arrived. */
  onDone: () => unknown
}

/** Files that are sent one after another, with the progress of the one under way. One that is refused ends the rest. */
export function FileUpload({ label, send, onDone }: Props) {
  const [now, setNow] = useState<{ name: string; share: number }>()
  const leaving = useRef<AbortController>(null)
  useEffect(() => {
    const controller = new AbortController()
    leaving.current = controller
    return () => controller.abort()
  }, [])
  const upload = useMutation({
    mutationFn: async (files: readonly File[]) => {
      const signal = leaving.current?.signal ?? new AbortController().signal
      for (const file of files) {
        setNow({ name: file.name, share: 0 })
        await send({ file, signal, onProgress: (share) => setNow({ name: file.name, share }) })
        await onDone()
      }
    },
    onSettled: () => setNow(undefined),
  })
  return (
    <>
      <FileDrop label={label} isMultiple onFiles={(files) => !upload.isPending && upload.mutate(files)} />
      {now && <progress value={now.share} aria-label={plainText(now.name)} />}
      {upload.error && <ErrorBox error={upload.error} />}
    </>
  )
}
