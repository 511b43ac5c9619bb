import { contextArchiveMaxBytes } from '@sandbox-jobs/contract/limits.ts'
import type { SelectableProfile } from '@sandbox-jobs/contract/resources/environments/profile.ts'
import { selectableProfiles } from '@sandbox-jobs/contract/resources/environments/selectable-profiles.ts'
import { type ReactNode, useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { ErrorBox } from '../../parts/error-box.tsx'
import { Field } from '../../parts/field.tsx'
import { FileDrop } from '../../parts/file-drop.tsx'
import { Form } from '../../parts/form.tsx'
import { SubmitButton } from '../../parts/submit-button.tsx'
import { TenantText } from '../../parts/tenant-text.tsx'
import { useFormats, useTexts } from '../../texts/texts.tsx'
import styles from './environments.module.css'
import { useVersionUpload } from './use-version-upload.ts'
import { formatOf, type UploadPlan, type UploadStep, uploadSteps } from './version-upload.ts'

interface Props {
  /** The environment that the version is for; undefined while it cannot be made. */
  environment: UploadPlan['environment'] | undefined
  /** Fields before those of the archive. */
  children?: ReactNode
}

/** An archive with a Dockerfile becomes a version, which is built at once. */
export function ArchiveForm({ environment, children }: Props) {
  const t = useTexts()
  const formats = useFormats()
  const [file, setFile] = useState<File>()
  const [profile, setProfile] = useState<SelectableProfile>('standard')
  const [isTried, setIsTried] = useState(false)
  const { upload, step, share, stop } = useVersionUpload()
  const problem =
    (environment === undefined ? t.environments.noName : undefined) ??
    (file === undefined ? t.environments.noArchive : problemOf(file))

  function problemOf({ name, size }: File): string | undefined {
    if (formatOf(name) === undefined) return t.environments.wrongFormat
    if (size === 0 || size > contextArchiveMaxBytes)
      return t.environments.wrongSize(formats.bytes(contextArchiveMaxBytes))
    return undefined
  }

  function send(): void {
    setIsTried(true)
    if (upload.isPending || environment === undefined || file === undefined || problem !== undefined) return
    upload.mutate({ environment, file, profile })
  }

  return (
    <Form className={styles.form} onSubmit={send}>
      {children}
      <section className={styles.part}>
        <h2>{t.environments.archive}</h2>
        <FileDrop
          label={t.environments.chooseArchive}
          accept=".zip,.tar,.gz,.tgz"
          onFiles={([first]) => setFile(first)}
        />
        {file && (
          <p>
            <TenantText text={file.name} /> {formats.bytes(file.size)}
          </p>
        )}
        <p className={styles.help}>{t.environments.archiveHelp(formats.bytes(contextArchiveMaxBytes))}</p>
        {isTried && problem !== undefined && (
          <p className={styles.problem} role="alert">
            {problem}
          </p>
        )}
      </section>
      <Field label={t.environments.profile} help={t.environments.profileHelp}>
        {(tied) => (
          <select
            {...tied}
            value={profile}
            onChange={(event) => setProfile(event.target.value as SelectableProfile)}
          >
            {selectableProfiles.map((each) => (
              <option key={each} value={each}>
                {t.environments.profiles[each]}
              </option>
            ))}
          </select>
        )}
      </Field>
      {upload.isPending && <UploadProgress step={step} share={share} />}
      {upload.error && <ErrorBox error={upload.error} />}
      <div className={styles.acts}>
        <SubmitButton icon="upload" isBusy={upload.isPending}>
          {upload.error ? t.environments.goOn : t.environments.upload}
        </SubmitButton>
        {upload.isPending && <Button onPress={stop}>{t.cancel}</Button>}
      </div>
    </Form>
  )
}

function UploadProgress({ step, share }: { step: UploadStep; share: number }) {
  const { steps } = useTexts().environments
  const done = uploadSteps.indexOf(step) + (step === 'send' ? share : 0)
  return (
    <div className={styles.progress}>
      <p role="status">{steps[step]}</p>
      <progress value={done / uploadSteps.length} aria-label={steps[step]} />
    </div>
  )
}
