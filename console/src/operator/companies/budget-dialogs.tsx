import { budgetAmountPattern } from '@sandbox-jobs/contract/operator/company-budget.ts'
import type { OperatedCompany } from '@sandbox-jobs/contract/operator/operator-company.ts'
import { useState } from 'react'
import { CheckBox } from '../../parts/check-box.tsx'
import { Field } from '../../parts/field.tsx'
import { ActDialog } from '../act-dialog.tsx'
import { removeBudgets, setBudget } from '../operator-api.ts'
import { useOperatorTexts } from '../texts/operator-texts.tsx'

interface Props {
  company: OperatedCompany
  onClose: () => void
}

const isAmount = (text: string): boolean => new RegExp(budgetAmountPattern).test(text.trim())

/** Sets what the company may spend this month, and in later ones. */
export function SetBudget({ company: { id, name, budget }, onClose }: Props) {
  const t = useOperatorTexts().budget
  const [amount, setAmount] = useState(budget.limit ?? '')
  const [recurring, setRecurring] = useState(true)
  return (
    <ActDialog
      title={t.setNamed(name)}
      act={t.set}
      isReady={isAmount(amount)}
      perform={(reason) => setBudget(id, { amount: amount.trim(), month: budget.month, recurring }, reason)}
      onClose={onClose}
    >
      <Field label={t.amountOf} error={isAmount(amount) ? undefined : t.noAmount}>
        {(tied) => (
          <input
            {...tied}
            inputMode="decimal"
            value={amount}
            onChange={(event) => setAmount(event.target.value)}
          />
        )}
      </Field>
      <CheckBox isChecked={recurring} onCheck={setRecurring}>
        {t.alsoLater}
      </CheckBox>
      <p>{t.setEffect}</p>
    </ActDialog>
  )
}

/** Removes all budgets of the company, so that nothing limits what it spends. */
export function RemoveBudgets({ company: { id, name }, onClose }: Props) {
  const t = useOperatorTexts().budget
  return (
    <ActDialog
      title={t.removeNamed(name)}
      act={t.remove}
      perform={(reason) => removeBudgets(id, reason)}
      onClose={onClose}
    >
      <p>{t.removeEffect}</p>
    </ActDialog>
  )
}
