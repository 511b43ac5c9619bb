import { useQueryClient } from '@tanstack/react-query'
import { inputFilesOf } from '../../data/rooms/files.ts'
import { uploadInputFile } from '../../data/runs/upload-input-file.ts'
import { FileUpload } from '../../parts/file-upload.tsx'
import { useTexts } from '../../texts/texts.tsx'

/** Sends chosen or dropped files to the room. */
export function UploadFiles({ cid }: { cid: string }) {
  const t = useTexts().roomFiles
  const queries = useQueryClient()
  return (
    <FileUpload
      label={t.add}
      send={(sent) => uploadInputFile({ cid, ...sent })}
      onDone={() => queries.invalidateQueries(inputFilesOf(cid))}
    />
  )
}
