// The render room's changes in memory, for this room's tests.
#include "render/document_fixture.cpp"
