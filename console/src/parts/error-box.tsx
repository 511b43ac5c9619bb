import { ApiError } from '@sandbox-jobs/contract/client/api-error.ts'
import { useQuery } from '@tanstack/react-query'
import { isSignInMissing } from '../data/api/queries.ts'
import { useTexts } from '../texts/texts.tsx'
import { Button } from './button.tsx'
import styles from './error-box.module.css'
import { IdText } from './id-text.tsx'
import { TenantText } from './tenant-text.tsx'
import { ToneBox } from './tone-box.tsx'

/** Advice by code, which is loaded with the first error that is shown. */
const advice = {
  queryKey: ['advice'],
  queryFn: async (): Promise<Readonly<Record<string, { advice: string }>>> =>
    (await import('@sandbox-jobs/contract/errors/catalogue.ts')).catalogue,
  staleTime: Number.POSITIVE_INFINITY,
}

const shownMax = 20

/** The places at which an input is wrong, one sentence each. */
function problemsOf(detail: unknown): string[] {
  const { errors } = (detail ?? {}) as { errors?: unknown }
  if (!Array.isArray(errors)) return []
  const sentences = errors.map((problem) => (problem as { msg?: unknown } | null)?.msg)
  return [...new Set(sentences.filter((msg) => typeof msg === 'string'))].slice(0, shownMax)
}

/**
 * A request that failed: its message, the advice of the catalogue, the id of the request, and a way to repeat it. A missing
 * sign-in has a dialog of its own.
 */
export function ErrorBox({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const t = useTexts()
  const { data: entries } = useQuery(advice)
  if (isSignInMissing(error)) return null
  const failed = error instanceof ApiError ? error : undefined
  const what = failed?.code ? entries?.[failed.code]?.advice : undefined
  const problems = failed ? problemsOf(failed.detail) : []
  return (
    <ToneBox
      tone="danger"
      icon="alert"
      role="alert"
      action={
        onRetry && (
          <Button icon="retry" onPress={onRetry}>
            {t.tryAgain}
          </Button>
        )
      }
    >
      {/* The service speaks English. */}
      <p lang={failed ? 'en' : undefined}>{failed ? failed.message : t.noAnswer}</p>
      {problems.length > 0 && (
        <ul lang="en" className={styles.problems}>
          {problems.map((problem) => (
            <li key={problem}>
              <TenantText text={problem} />
            </li>
          ))}
        </ul>
      )}
      {what && problems.length === 0 && (
        <p lang="en" className={styles.advice}>
          {what}
        </p>
      )}
      {failed?.requestId && (
        <p className={styles.advice}>
          {t.requestId} <IdText id={failed.requestId} />
        </p>
      )}
    </ToneBox>
  )
}
