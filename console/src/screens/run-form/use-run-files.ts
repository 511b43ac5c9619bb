import type { RunFileRequest } from '@sandbox-jobs/contract/resources/runs/extended-run.ts'
import { useEffect, useRef, useState } from 'react'
import { uploadInputFile } from '../../data/runs/upload-input-file.ts'

/** A file that was chosen for the run, and how far its upload is. */
export interface ChosenFile {
  key: string
  name: string
  bytes: number
  /** From 0 to 1. */
  uploaded: number
  fileId?: string
  error?: unknown
}

export interface RunFiles {
  chosen: readonly ChosenFile[]
  isUploading: boolean
  /** The files as a submission names them. */
  given: RunFileRequest[]
  add: (files: Iterable<File>) => void
  remove: (key: string) => void
}

/** Files of a run that is not submitted yet. Each is uploaded as soon as it is chosen. */
export function useRunFiles(cid: string): RunFiles {
  const [chosen, setChosen] = useState<readonly ChosenFile[]>([])
  const uploads = useRef(new Map<string, AbortController>())
  useEffect(() => {
    const running = uploads.current
    return () => {
      for (const upload of running.values()) upload.abort()
    }
  }, [])

  const change = (key: string, changed: Partial<ChosenFile>) =>
    setChosen((files) => files.map((file) => (file.key === key ? { ...file, ...changed } : file)))

  async function upload(key: string, file: File): Promise<void> {
    const controller = new AbortController()
    uploads.current.set(key, controller)
    const onProgress = (uploaded: number) => change(key, { uploaded })
    try {
      const { id } = await uploadInputFile({ cid, file, onProgress, signal: controller.signal })
      change(key, { fileId: id, uploaded: 1 })
    } catch (error) {
      if (!controller.signal.aborted) change(key, { error })
    }
  }

  function add(files: Iterable<File>): void {
    for (const file of files) {
      const key = crypto.randomUUID()
      setChosen((before) => [...before, { key, name: file.name, bytes: file.size, uploaded: 0 }])
      void upload(key, file)
    }
  }

  function remove(key: string): void {
    uploads.current.get(key)?.abort()
    setChosen((files) => files.filter((file) => file.key !== key))
  }

  return {
    chosen,
    isUploading: chosen.some(({ fileId, error }) => fileId === undefined && error === undefined),
    given: chosen.flatMap(({ name, fileId }) => (fileId === undefined ? [] : [{ name, file_id: fileId }])),
    add,
    remove,
  }
}
