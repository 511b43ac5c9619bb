import { useState } from 'react'
import { useFormats, useTexts } from '../texts/texts.tsx'
import type { Field } from './field.ts'
import { FieldFrame, useControl } from './field-frame.tsx'
import styles from './form.module.css'
import { useForm } from './form-context.ts'
import { valueAt } from './json.ts'

const bytesMax = 256 * 1024

/** A small file that becomes text of the input. Larger ones are files of the run. */
export function BytesControl({ field }: { field: Extract<Field, { kind: 'bytes' }> }) {
  const t = useTexts().inputForm
  const formats = useFormats()
  const form = useForm()
  const control = useControl(field)
  const [isTooLarge, setIsTooLarge] = useState(false)
  const value = valueAt(form.value, field.path)
  const length = typeof value === 'string' ? Math.floor((value.length * 3) / 4) : undefined
  async function take(file: File | undefined) {
    setIsTooLarge((file?.size ?? 0) > bytesMax)
    if (file && file.size <= bytesMax)
      form.set(field.path, base64Of(new Uint8Array(await file.arrayBuffer())))
  }
  return (
    <FieldFrame field={field}>
      <input
        {...control}
        type="file"
        className={styles.input}
        accept={/^[\w.+-]+\/[\w.+*-]+$/.test(field.mediaType ?? '') ? field.mediaType : undefined}
        onChange={(event) => void take(event.target.files?.[0])}
      />
      {length !== undefined && <p className={styles.soft}>{formats.bytes(length)}</p>}
      {isTooLarge && <p className={styles.warning}>{t.tooLargeFile(formats.bytes(bytesMax))}</p>}
    </FieldFrame>
  )
}

/** In parts, as a call has a bounded number of arguments. */
function base64Of(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += 8192)
    text += String.fromCharCode(...bytes.subarray(at, at + 8192))
  return btoa(text)
}
