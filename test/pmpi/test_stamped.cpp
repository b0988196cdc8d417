// SPDX-License-Identifier: BSD-3-Clause
// The cache of stamped types, over an MPI library that only counts types.
#include "layer.hpp"
#include "stamped.hpp"
#include "type_envelope.hpp"

#include <cstdio>
#include <cstdlib>

#include "cmocka_cpp.hpp"

namespace tare::pmpi {

real_calls real;
layer_state state;

void die(const char *format, ...)
{
    std::fputs(format, stderr);
    std::abort();
}

}  // namespace tare::pmpi

using namespace tare::pmpi;

namespace {

int types_made, types_alive;
MPI_Aint last_displacements[2];
MPI_Datatype last_parts[2];
int last_lengths[2];

int make_struct(int, const int *lengths, const MPI_Aint *places, const MPI_Datatype *parts, MPI_Datatype *type)
{
    for (int i = 0; i < 2; i++) {
        last_lengths[i] = lengths[i];
        last_displacements[i] = places[i];
        last_parts[i] = parts[i];
    }
    types_alive++;
    *type = (MPI_Datatype) (intptr_t) ++types_made;
    return MPI_SUCCESS;
}

int commit(MPI_Datatype *) { return MPI_SUCCESS; }

int free_type(MPI_Datatype *)
{
    types_alive--;
    return MPI_SUCCESS;
}

int address_of(const void *location, MPI_Aint *address)
{
    *address = reinterpret_cast<MPI_Aint>(location);
    return MPI_SUCCESS;
}

int envelope(MPI_Datatype type, int *, int *, int *, int *combiner)
{
    const bool is_named = type == MPI_INT || type == MPI_DOUBLE || type == MPI_CHAR;
    *combiner = is_named ? MPI_COMBINER_NAMED : MPI_COMBINER_STRUCT;
    return MPI_SUCCESS;
}

#if MPI_VERSION >= 4
int refused_envelope(MPI_Datatype, int *, int *, int *, int *) { return MPI_ERR_TYPE; }

int large_envelope(MPI_Datatype type, MPI_Count *, MPI_Count *, MPI_Count *, MPI_Count *, int *combiner)
{
    return envelope(type, nullptr, nullptr, nullptr, combiner);
}
#endif

int size_of(MPI_Datatype type, MPI_Count *size)
{
    *size = type == MPI_CHAR ? 1 : 4;
    return MPI_SUCCESS;
}

int set_up(void **cache)
{
    real.Type_create_struct = make_struct;
    real.Type_commit = commit;
    real.Type_free = free_type;
    real.Get_address = address_of;
    real.Type_get_envelope = envelope;
    library_tells_large_counts = false;
    real.Type_size_x = size_of;
    types_made = types_alive = 0;
    state.published = false;
    *cache = new stamped_types;
    return 0;
}

int tear_down(void **cache)
{
    delete static_cast<stamped_types *>(*cache);
    return 0;
}

char buffer[100000];

stamped_types &of(void **cache) { return *static_cast<stamped_types *>(*cache); }

void type_made_stamp_comes_first(void **cache)
{
    stamped *s = of(cache).acquire(buffer, 5, MPI_INT);
    assert_non_null(s);
    assert_int_equal(last_displacements[0], reinterpret_cast<MPI_Aint>(&s->stamp));
    assert_int_equal(last_lengths[0], 16);
    assert_true(last_parts[0] == MPI_BYTE);
    assert_int_equal(last_displacements[1], reinterpret_cast<MPI_Aint>(buffer));
    assert_int_equal(last_lengths[1], 5);
    assert_true(last_parts[1] == MPI_INT);
}

void stamp_beside_bytes_has_no_bytes(void **cache)
{
    of(cache).acquire(buffer, 5, MPI_CHAR);
    assert_int_equal(last_lengths[0], 2);
    assert_true(last_parts[0] == MPI_INT64_T);
}

void stamp_beside_derived_types_has_elements_of_two_sizes(void **cache)
{
    of(cache).release(of(cache).acquire(buffer, 5, MPI_FLOAT_INT));
    assert_int_equal(last_lengths[0], 1);
    const MPI_Datatype stamp = last_parts[0];
    of(cache).release(of(cache).acquire(buffer, 6, MPI_FLOAT_INT));
    assert_true(last_parts[0] == stamp);
    assert_int_equal(types_alive, 3);
    of(cache).clear();
    assert_int_equal(types_alive, 0);
}

#if MPI_VERSION >= 4
void library_with_large_counts_is_asked_for_them(void **cache)
{
    real.Type_get_envelope = refused_envelope;
    real.Type_get_envelope_c = large_envelope;
    library_tells_large_counts = true;
    of(cache).acquire(buffer, 5, MPI_CHAR);
    assert_int_equal(last_lengths[0], 2);
    assert_true(last_parts[0] == MPI_INT64_T);
}
#endif

void released_type_is_used_again(void **cache)
{
    stamped *first = of(cache).acquire(buffer, 5, MPI_INT);
    of(cache).release(first);
    assert_ptr_equal(of(cache).acquire(buffer, 5, MPI_INT), first);
    assert_int_equal(types_made, 1);
}

void other_buffer_count_or_type_gets_another(void **cache)
{
    of(cache).release(of(cache).acquire(buffer, 5, MPI_INT));
    of(cache).acquire(buffer + 4, 5, MPI_INT);
    of(cache).acquire(buffer, 6, MPI_INT);
    of(cache).acquire(buffer, 5, MPI_DOUBLE);
    assert_int_equal(types_made, 4);
}

void type_in_use_is_not_shared(void **cache)
{
    stamped *first = of(cache).acquire(buffer, 5, MPI_INT);
    stamped *second = of(cache).acquire(buffer, 5, MPI_INT);
    assert_ptr_not_equal(first, second);
    of(cache).release(second);
    of(cache).release(first);
    of(cache).acquire(buffer, 5, MPI_INT);
    of(cache).acquire(buffer, 5, MPI_INT);
    assert_int_equal(types_made, 2);
}

void idle_types_beyond_the_limit_are_freed_oldest_first(void **cache)
{
    const int limit = static_cast<int>(stamped_types::kept_at_most);
    for (int i = 0; i < limit + 100; i++)
        of(cache).release(of(cache).acquire(buffer + i, 1, MPI_CHAR));
    assert_int_equal(types_alive, limit);
    assert_int_equal(of(cache).idle(), limit);
    of(cache).acquire(buffer + limit + 99, 1, MPI_CHAR);
    assert_int_equal(types_made, limit + 100);
    of(cache).acquire(buffer, 1, MPI_CHAR);
    assert_int_equal(types_made, limit + 101);
}

void freed_element_type_drops_idle_ones(void **cache)
{
    of(cache).release(of(cache).acquire(buffer, 1, MPI_DOUBLE));
    of(cache).release(of(cache).acquire(buffer, 2, MPI_DOUBLE));
    of(cache).release(of(cache).acquire(buffer, 2, MPI_INT));
    of(cache).drop(MPI_DOUBLE);
    assert_int_equal(types_alive, 1);
    of(cache).acquire(buffer, 2, MPI_INT);
    assert_int_equal(types_made, 3);
}

void freed_element_type_drops_busy_ones_when_released(void **cache)
{
    stamped *busy = of(cache).acquire(buffer, 1, MPI_DOUBLE);
    of(cache).drop(MPI_DOUBLE);
    assert_int_equal(types_alive, 1);
    of(cache).release(busy);
    assert_int_equal(types_alive, 0);
    of(cache).acquire(buffer, 1, MPI_DOUBLE);
    assert_int_equal(types_made, 2);
}

void published_form_keeps_nothing(void **cache)
{
    state.published = true;
    for (int i = 0; i < 3; i++)
        of(cache).release(of(cache).acquire(buffer, 5, MPI_INT));
    assert_int_equal(types_made, 3);
    assert_int_equal(types_alive, 0);
}

void arguments_to_be_refused_are_not_described(void **cache)
{
    assert_null(of(cache).acquire(buffer, -1, MPI_INT));
    assert_null(of(cache).acquire(buffer, 1, MPI_DATATYPE_NULL));
    assert_null(of(cache).acquire(nullptr, 1, MPI_INT));
    assert_non_null(of(cache).acquire(nullptr, 0, MPI_INT));
    assert_non_null(of(cache).acquire(MPI_BOTTOM, 1, MPI_FLOAT_INT));
}

void clear_frees_every_idle_type(void **cache)
{
    for (int i = 0; i < 10; i++)
        of(cache).release(of(cache).acquire(buffer + i, 1, MPI_INT));
    of(cache).clear();
    assert_int_equal(types_alive, 0);
    assert_int_equal(of(cache).idle(), 0);
}

}  // namespace

int main()
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const CMUnitTest tests[] = {
        CASE(type_made_stamp_comes_first), CASE(stamp_beside_bytes_has_no_bytes),
        CASE(stamp_beside_derived_types_has_elements_of_two_sizes), CASE(released_type_is_used_again),
        CASE(other_buffer_count_or_type_gets_another), CASE(type_in_use_is_not_shared),
        CASE(idle_types_beyond_the_limit_are_freed_oldest_first), CASE(freed_element_type_drops_idle_ones),
        CASE(freed_element_type_drops_busy_ones_when_released), CASE(published_form_keeps_nothing),
        CASE(arguments_to_be_refused_are_not_described), CASE(clear_frees_every_idle_type),
#if MPI_VERSION >= 4
        CASE(library_with_large_counts_is_asked_for_them),
#endif
    };
    return cmocka_run_group_tests_name("stamped_types", tests, nullptr, nullptr);
}
