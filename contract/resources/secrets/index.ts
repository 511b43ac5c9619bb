export {
  SecretApproval,
  SecretApprovalCreateRequest,
  SecretApprovalList,
  SecretApprovalRevokeRequest,
} from './secret-approval.ts'
export {
  EncryptedValue,
  SecretBinding,
  SecretBindingList,
  SecretOperation,
  SecretRevokeRequest,
  SecretWriteRequest,
} from './secret-binding.ts'
