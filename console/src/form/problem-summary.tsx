import type { Ref } from 'react'
import { TenantText } from '../parts/tenant-text.tsx'
import { useTexts } from '../texts/texts.tsx'
import styles from './form.module.css'
import type { FieldProblem } from './problems.ts'

interface ProblemSummaryProps {
  problems: readonly FieldProblem[]
  formId: string
  /** The fields are not in view, so that nothing can be linked. */
  isJson: boolean
  ref: Ref<HTMLDivElement>
}

/** All that is wrong, above the form. It takes the focus, and its links lead to the fields. */
export function ProblemSummary({ problems, formId, isJson, ref }: ProblemSummaryProps) {
  const t = useTexts().inputForm
  return (
    <div ref={ref} tabIndex={-1} className={problems.length > 0 ? styles.summary : styles.noSummary}>
      {problems.length > 0 && (
        <>
          <p>{t.problems(problems.length)}</p>
          <ul>
            {problems.map(({ field, within, words }, at) => {
              const path = [...field.path, ...within].join(' › ')
              const name = <TenantText text={field.title === '' ? path || t.input : field.title} />
              return (
                // biome-ignore lint/suspicious/noArrayIndexKey: problems have nothing but their order
                <li key={at}>
                  {isJson ? (
                    name
                  ) : (
                    <a
                      href={`#${formId}${field.number}`}
                      onClick={(event) => focusOn(event, `${formId}${field.number}`)}
                    >
                      {name}
                    </a>
                  )}{' '}
                  <span lang="en">{words}</span>
                </li>
              )
            })}
          </ul>
        </>
      )}
    </div>
  )
}

/** The address of the page is the screen's. */
function focusOn(event: { preventDefault: () => void }, id: string): void {
  event.preventDefault()
  const element = document.getElementById(id)
  element?.scrollIntoView({ block: 'center' })
  element?.focus()
}
