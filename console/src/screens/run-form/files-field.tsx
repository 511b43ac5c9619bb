import { inputFileMaxBytes } from '@sandbox-jobs/contract/limits.ts'
import { plainText } from '@sandbox-jobs/contract/plain-text.ts'
import { useId } from 'react'
import { Icon } from '../../design/icon.tsx'
import { Button } from '../../parts/button.tsx'
import { ErrorBox } from '../../parts/error-box.tsx'
import { FileDrop } from '../../parts/file-drop.tsx'
import { TenantText } from '../../parts/tenant-text.tsx'
import { useFormats, useTexts } from '../../texts/texts.tsx'
import styles from './run-form.module.css'
import type { ChosenFile, RunFiles } from './use-run-files.ts'

/** Files for the run: chosen or dropped, uploaded at once. */
export function FilesField({ files }: { files: RunFiles }) {
  const t = useTexts()
  const formats = useFormats()
  const id = useId()
  return (
    <section className={styles.part}>
      <h2 id={id}>{t.form.files}</h2>
      <FileDrop label={t.form.addFiles} isMultiple onFiles={files.add} />
      {files.chosen.length > 0 && (
        <ul className={styles.files}>
          {files.chosen.map((file) => (
            <FileRow key={file.key} file={file} onRemove={() => files.remove(file.key)} />
          ))}
        </ul>
      )}
      <p className={styles.help}>{t.form.filesHelp(formats.bytes(inputFileMaxBytes))}</p>
    </section>
  )
}

function FileRow({ file, onRemove }: { file: ChosenFile; onRemove: () => void }) {
  const t = useTexts()
  const formats = useFormats()
  return (
    <li>
      <Icon name="file" />
      <span className={styles.name}>
        <TenantText text={file.name} />
      </span>
      <span className={styles.help}>{formats.bytes(file.bytes)}</span>
      {file.fileId === undefined && file.error === undefined && (
        <progress value={file.uploaded} aria-label={plainText(file.name)} />
      )}
      <Button kind="quiet" icon="close" label={t.form.remove(file.name)} onPress={onRemove}>
        {null}
      </Button>
      {file.error !== undefined && <ErrorBox error={file.error} />}
    </li>
  )
}
