export { AuditEntry, AuditEntryList, AuditHead } from './audit-entry.ts'
export { BudgetUse } from './budget-use.ts'
export {
  Chatroom,
  ChatroomCreateRequest,
  ChatroomList,
  ChatroomUpdateRequest,
  OwnChatroom,
  OwnChatroomList,
} from './chatroom.ts'
export { Company } from './company.ts'
export { CompanySettings, CompanySettingsUpdate, RuntimePricing } from './company-settings.ts'
export {
  Department,
  DepartmentCreateRequest,
  DepartmentList,
  DepartmentUpdateRequest,
  OwnDepartment,
  OwnDepartmentList,
} from './department.ts'
export { FavoriteChatroom } from './favorite-chatroom.ts'
export { FoundThing, FoundThings } from './found-thing.ts'
export { InvitationRequest, PasswordAddress } from './invitation.ts'
export { Membership, MembershipList, MembershipPutRequest } from './membership.ts'
export { PersonName, PersonNames, RoomPerson, RoomPersonList } from './person-name.ts'
export { StorageUse } from './storage-use.ts'
export { UsageItem, UsageReport } from './usage-report.ts'
export { User, UserCreateRequest, UserList, UserUpdateRequest } from './user.ts'
