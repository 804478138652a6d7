//! Features of molecules.

use gsn_io::{Chematic, Featurisation, MoleculeReader};

#[test]
fn our_own_features_do_not_depend_on_how_a_molecule_is_written() {
    let pairs = [
        ("c1ccccc1O", "C1=CC=CC=C1O"),
        ("C[N+]([O-])=O", "CN(=O)=O"),
        ("[H]C([H])([H])N", "CN"),
        ("c1ccc2[nH]ccc2c1", "C1=CC=C2NC=CC2=C1"),
    ];
    for (one, other) in pairs {
        let read = |smiles| Chematic.featurise(smiles, Featurisation::Default).unwrap();
        assert_eq!(read(one), read(other));
    }
}
