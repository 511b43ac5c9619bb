import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTrail } from '../../app/trail.ts'
import { Page } from '../../parts/page.tsx'
import { TenantText } from '../../parts/tenant-text.tsx'
import { companyOf } from '../operator-api.ts'
import { OperatorLink } from '../operator-link.tsx'
import { useOperatorTexts } from '../texts/operator-texts.tsx'

interface Props {
  title: string
  /** The id of the only company whose work is shown. */
  company: string | undefined
  /** The address of the same screen for all companies. */
  all: string
  actions?: ReactNode
  children: ReactNode
}

/** A screen of work, of all companies or of one. */
export function WorkPage({ title, company, all, actions, children }: Props) {
  const t = useOperatorTexts()
  const { data } = useQuery({ ...companyOf(company ?? ''), enabled: company !== undefined })
  useTrail(company === undefined ? [] : [{ text: data?.name ?? company, to: `/companies/${company}` }])
  return (
    <Page
      title={title}
      product={t.product}
      actions={actions}
      detail={
        company !== undefined && (
          <>
            <TenantText text={t.work.onlyOf(data?.name ?? company)} />{' '}
            <OperatorLink to={all}>{t.work.ofAll}</OperatorLink>
          </>
        )
      }
    >
      {children}
    </Page>
  )
}
