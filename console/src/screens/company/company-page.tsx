import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { type CompanyPart, companyPartsOf } from '../../data/company/company-parts.ts'
import { me } from '../../data/person/me.ts'
import { Page } from '../../parts/page.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { useTexts } from '../../texts/texts.tsx'

interface Props {
  part: CompanyPart
  actions?: ReactNode
  children: ReactNode
}

/** The first screen of a part of the company, with links to the others. */
export function CompanyPage({ part, actions, children }: Props) {
  const t = useTexts()
  const { data: account } = useQuery(me)
  return (
    <Page title={t.company.parts[part]} actions={actions}>
      <Tabs label={t.company.title}>
        {companyPartsOf(account?.role).map((each) => (
          <Link key={each} to={`/company/${each}`}>
            {t.company.parts[each]}
          </Link>
        ))}
      </Tabs>
      {children}
    </Page>
  )
}
